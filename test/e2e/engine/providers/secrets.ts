/** Marks by which the Pulumi protocol tells secrets and unknown values apart from plain ones. */
const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";

export type Properties = Readonly<Record<string, unknown>>;

/** The value with every secret's wrapping taken off. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(plain);
  }
  if (value === null || typeof value !== "object") {
    return value;
  }
  const record = value as Properties;
  if (record[SIGNATURE] === SECRET) {
    return plain(record.value);
  }
  return Object.fromEntries(Object.entries(record).map(([key, item]) => [key, plain(item)]));
}

/** Whether a value is, or contains, a secret. */
export function holdsSecret(value: unknown): boolean {
  if (value === null || typeof value !== "object") {
    return false;
  }
  return (value as Properties)[SIGNATURE] === SECRET || Object.values(value).some(holdsSecret);
}

export function secret(value: unknown): unknown {
  return { [SIGNATURE]: SECRET, value };
}
