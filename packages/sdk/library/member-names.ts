/**
 * The names of an object's members, including those of its classes: their methods and getters are no own properties.
 */
export function memberNames(object: object): readonly string[] {
  const names = new Set(Object.keys(object));
  for (const level of classesOf(object)) {
    for (const name of Object.getOwnPropertyNames(level)) if (name !== "constructor") names.add(name);
  }
  return [...names];
}

/** All prototypes except the last, which every object has. */
function* classesOf(object: object): Generator<object> {
  let level: unknown = Object.getPrototypeOf(object);
  while (typeof level === "object" && level !== null && Object.getPrototypeOf(level) !== null) {
    yield level;
    level = Object.getPrototypeOf(level);
  }
}

/** Is it a method or getter of a class, and not a property of the object itself? */
export const isInherited = (object: object, name: string): boolean => !Object.hasOwn(object, name);
