/** The value of a table under a name that comes from outside: what every object inherits ("constructor") is no entry. */
export function ownValue<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
