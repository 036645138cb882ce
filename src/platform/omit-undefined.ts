type Undefinable<T> = { [Name in keyof T]-?: undefined extends T[Name] ? Name : never }[keyof T];
type Defined<T> = Omit<T, Undefinable<T>> & { [Name in Undefinable<T>]?: Exclude<T[Name], undefined> };

/** Leaves out undefined properties, so fields that a request left out stay out of a change. */
export function omitUndefined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
