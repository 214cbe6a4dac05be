/** 1234567 as `1,234,567`. */
export const groupDigits = (count: number): string => String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");

/** `1 hook`, `3 hooks`, `1,204 processes`: every message that counts something takes the noun from here. */
export const pluralize = (count: number, one: string, many = `${one}s`): string =>
  `${groupDigits(count)} ${count === 1 ? one : many}`;
