/** config.pbtxt: Triton's protobuf schema and text format. */
import table from "./model-config.json";

interface Field {
  readonly type: string;
  readonly repeated?: boolean;
  /** Key type of a map. */
  readonly key?: string;
}

const messages = table.messages as Readonly<Record<string, Readonly<Record<string, Field>>>>;
const enums = table.enums as Readonly<Record<string, readonly string[]>>;

/** A message as plain data: protobuf field names, numbers, texts, enum names. */
export type Message = { readonly [field: string]: unknown };

export interface ConfigProblem {
  /** Below the message: `instance_group.0.count`. */
  readonly path: string;
  readonly allowed: string;
}

const INTEGERS: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
};

/** Unknown fields and wrong types that Triton's parser would refuse. Does not check meaning. */
export function configProblems(message: unknown, type = "ModelConfig", path = ""): ConfigProblem[] {
  const fields = messages[type];
  if (fields === undefined) {
    throw new Error(`engines/triton/model-config.json has no message ${type}`);
  }
  if (!isMapping(message)) {
    return [{ path, allowed: `a mapping with fields of ${type}` }];
  }
  return Object.entries(message).flatMap(([name, value]) => {
    const at = path === "" ? name : `${path}.${name}`;
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return field === undefined
      ? [{ path: at, allowed: `a field of ${type}: ${Object.keys(fields).join(", ")}` }]
      : fieldProblems(field, value, at);
  });
}

function fieldProblems(field: Field, value: unknown, path: string): ConfigProblem[] {
  if (field.key !== undefined) {
    return isMapping(value)
      ? Object.entries(value).flatMap(([key, each]) => valueProblems(field.type, each, `${path}.${key}`))
      : [{ path, allowed: "a mapping" }];
  }
  if (field.repeated) {
    return Array.isArray(value)
      ? value.flatMap((each: unknown, index) => valueProblems(field.type, each, `${path}.${index}`))
      : [{ path, allowed: "a list" }];
  }
  return valueProblems(field.type, value, path);
}

function valueProblems(type: string, value: unknown, path: string): ConfigProblem[] {
  if (messages[type] !== undefined) {
    return configProblems(value, type, path);
  }
  const allowed = scalarFault(type, value);
  return allowed === undefined ? [] : [{ path, allowed }];
}

/** Allowed values if the value is invalid. */
function scalarFault(type: string, value: unknown): string | undefined {
  const names = enums[type];
  if (names !== undefined) {
    return typeof value === "string" && names.includes(value) ? undefined : names.join(", ");
  }
  const range = INTEGERS[type];
  if (range !== undefined) {
    const [least, most] = range;
    const fits = Number.isSafeInteger(value) && BigInt(value as number) >= least && BigInt(value as number) <= most;
    return fits ? undefined : `a whole number from ${least} to ${most}`;
  }
  switch (type) {
    case "bool":
      return typeof value === "boolean" ? undefined : "true or false";
    case "float":
    case "double":
      return typeof value === "number" && Number.isFinite(value) ? undefined : "a number";
    default:
      return typeof value === "string" ? undefined : "text";
  }
}

/**
 * The message in protobuf text format.
 * @throws Error for invalid messages: see configProblems.
 */
export function configText(message: Message, type = "ModelConfig"): string {
  const [problem] = configProblems(message, type);
  if (problem !== undefined) {
    throw new Error(`${problem.path} of config.pbtxt must be ${problem.allowed}`);
  }
  return `${messageLines(message, type, "").join("\n")}\n`;
}

function messageLines(message: Message, type: string, indent: string): string[] {
  const fields = messages[type] ?? {};
  return Object.entries(message).flatMap(([name, value]) => {
    const field = fields[name];
    if (field === undefined) {
      return [];
    }
    if (field.key !== undefined) {
      return Object.entries(value as Message).flatMap(([key, each]) => [
        `${indent}${name} {`,
        `${indent}  key: ${scalarText(field.key ?? "string", field.key === "string" ? key : Number(key))}`,
        ...valueLines("value", field.type, each, `${indent}  `),
        `${indent}}`,
      ]);
    }
    const values: readonly unknown[] = field.repeated ? (value as readonly unknown[]) : [value];
    return values.flatMap((each) => valueLines(name, field.type, each, indent));
  });
}

function valueLines(name: string, type: string, value: unknown, indent: string): string[] {
  return messages[type] === undefined
    ? [`${indent}${name}: ${scalarText(type, value)}`]
    : [`${indent}${name} {`, ...messageLines(value as Message, type, `${indent}  `), `${indent}}`];
}

function scalarText(type: string, value: unknown): string {
  return type === "string" || type === "bytes" ? quoted(String(value)) : String(value);
}

/** Non-printable bytes as octal escapes, which every parser accepts. */
function quoted(text: string): string {
  const bytes = [...Buffer.from(text, "utf8")].map((byte) => {
    const character = String.fromCharCode(byte);
    if (character === '"' || character === "\\") {
      return `\\${character}`;
    }
    return byte >= 0x20 && byte < 0x7f ? character : `\\${byte.toString(8).padStart(3, "0")}`;
  });
  return `"${bytes.join("")}"`;
}

function isMapping(value: unknown): value is Message {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
