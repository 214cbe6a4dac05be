import { formatMethod } from "../values/format-text.ts";
import { methodOf } from "../values/methods.ts";
import { repr } from "../values/represent.ts";
import { itemOf } from "../values/sequence.ts";
import { charactersOf } from "../values/text.ts";
import { isText, orElse, PythonObject, textOf, typeNameOf, Undefined, type Value } from "../values/value.ts";
import type { Environment } from "./scope.ts";

/** `object.name`: an attribute, otherwise an item. `label` is how the template writes it, for a message. */
export function attributeOrItem(env: Environment, object: Value, name: string, label?: string): Value {
  const attribute = attributeOf(env, object, name);
  if (attribute !== undefined) return attribute;
  return orElse(itemOf(object, name), () => missing(env, object, label ?? repr(name)));
}

/** `object[key]`: an item, otherwise an attribute. */
export function itemOrAttribute(env: Environment, object: Value, key: Value, label?: string): Value {
  const item = itemOf(object, key);
  if (item !== undefined) return item;
  const attribute = isText(key) ? attributeOf(env, object, textOf(key)) : undefined;
  return orElse(attribute, () => missing(env, object, label ?? repr(key)));
}

const missing = (env: Environment, object: Value, label: string): Value =>
  env.undefined(
    label.includes(".") || label.includes("[") ? `there is no "${label}"` : `${typeNameOf(object)} has no ${label}`,
  );

/** A method or another attribute that Python would give for this type. Names that begin with _ are not for templates. */
export function attributeOf(env: Environment, object: Value, name: string): Value | undefined {
  if (object instanceof Undefined) return name.startsWith("__") ? undefined : object.fail();
  if (name.startsWith("_")) return undefined;
  if (isText(object) && (name === "format" || name === "format_map")) {
    const attribute = (value: Value, field: string): Value => attributeOrItem(env, value, field);
    const item = (value: Value, key: Value): Value => itemOrAttribute(env, value, key);
    return formatMethod({ attribute, item }, object, name);
  }
  const found = object instanceof PythonObject ? object.attribute(name) : undefined;
  return found === undefined ? methodOf(object, name) : found;
}

/** The steps of an attribute path such as `address.city` or `0.name`. */
function pathOf(attribute: Value): readonly Value[] {
  if (attribute === null) return [];
  if (!isText(attribute)) return [attribute];
  return textOf(attribute)
    .split(".")
    .map((part) => (/^\p{Nd}+$/u.test(part) && charactersOf(part).length < 20 ? BigInt(part) : part));
}

/** Looks up a dotted path in each item. A missing step gives the default, if there is one. */
export function pathReader(env: Environment, attribute: Value, fallback: Value = null): (item: Value) => Value {
  const path = pathOf(attribute);
  return (item) =>
    path.reduce((value: Value, part) => {
      const found = itemOrAttribute(env, value, part);
      return found instanceof Undefined && fallback !== null ? fallback : found;
    }, item);
}
