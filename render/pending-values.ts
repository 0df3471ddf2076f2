/**
 * Finds what a program's resources owe to values that exist only at deployment: secrets of the configuration, and
 * what providers generate (passwords). The program runs twice, with different stand-ins for each of those values.
 * Whatever differs between the two runs depends on them, also when it was concatenated, encoded or hashed on the
 * way; whatever does not, cannot reveal them.
 */
import { createHash } from "node:crypto";
import type { ProviderAnswers } from "../offline/answers";
import { answerOfHost } from "../offline/host-answers";

/** A value that exists only at deployment. */
export interface PendingValue {
  /** The same in both runs. */
  readonly id: string;
  readonly origin: ConfigOrigin | ProviderOrigin | DeploymentOrigin;
}

/** An encrypted value of the environment's file. */
export interface ConfigOrigin {
  readonly kind: "config";
  /** Key without its namespace, for example `alertWebhookUrl`. */
  readonly key: string;
  /** What it is, where the file needs the value and does not have it. */
  readonly absent?: string;
}

/** What a provider makes. */
export interface ProviderOrigin {
  readonly kind: "provider";
  readonly type: string;
  /** Name of the resource in the program. */
  readonly name: string;
  readonly output: string;
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** What a deployment makes and is no secret: the id of a resource, the name of a queue. */
export interface DeploymentOrigin {
  readonly kind: "deployment";
  /** What makes it: `oci:Kms/key:Key cluster-keys-volumes`. */
  readonly maker: string;
}

/** The SHA-256 of a value, in hexadecimal: the cluster can make it again, so that only the value need be stored. */
export interface HashedValue {
  readonly sha256Of: PendingValue;
}

/** What a text is made of: literal text, values, and hashes of values. */
export type TextPart = string | PendingValue | HashedValue;

/** Text that needs pending values, in parts; `undefined` where it needs them in a way that cannot be seen. */
export class PendingText {
  constructor(readonly parts: readonly TextPart[] | undefined) {}

  /** The value, when the text is nothing but one. */
  get value(): PendingValue | undefined {
    const [only, ...others] = this.parts ?? [];
    return typeof only === "object" && "id" in only && others.length === 0 ? only : undefined;
  }
}

/** The stand-ins of one run. */
export class StandIns {
  private readonly values = new Map<string, PendingValue | HashedValue>();
  private count = 0;

  /** @param run a letter, different for each run of a comparison. */
  constructor(private readonly run: string) {}

  /** Answers as others do, with a stand-in for whatever a provider makes. */
  over(others: ProviderAnswers): ProviderAnswers {
    return {
      call: others.call,
      id: (type, name) => {
        // Ids of Kubernetes objects are their names.
        return type.startsWith("kubernetes:")
          ? others.id(type, name)
          : this.placeholder(`${type}::${name}::id`, { kind: "deployment", maker: `${type} ${name}` }, (mark) => mark);
      },
      ofOtherStack: (path) =>
        this.placeholder(`stack::${path}`, { kind: "deployment", maker: `the other stack (${path})` }, (mark) => mark),
      state: (type, name, inputs) => {
        if (type === HOST_COMMAND) {
          // Read by this program; what of it reaches objects are numbers, which differ from run to run.
          return { ...inputs, stdout: answerOfHost(inputs, this.run.charCodeAt(0)), stderr: "" };
        }
        return Object.fromEntries(
          Object.entries(others.state(type, name, inputs)).map(([output, value]) => {
            const made = !Object.hasOwn(inputs, output) && typeof value === "string";
            const id = `${type}::${name}::${output}`;
            // Amazon's resources make names and addresses here, and no secret. One marked as secret stays so.
            const origin: PendingValue["origin"] = type.startsWith("aws:")
              ? { kind: "deployment", maker: `${type} ${name}` }
              : { kind: "provider", type, name, output, inputs };
            return [output, made ? `${placeIn(value)}${this.placeholder(id, origin, (mark) => mark)}` : value];
          }),
        );
      },
    };
  }

  /**
   * Config with stand-ins for its secrets. They are URLs, which every schema of a secret accepts.
   *
   * @param absent what secrets are that the config needs and does not have, by their full keys.
   */
  config(
    config: Readonly<Record<string, string>>,
    secretKeys: readonly string[],
    absent: Readonly<Record<string, string>> = {},
  ): Readonly<Record<string, string>> {
    const secrets = [...secretKeys, ...Object.keys(absent)].map((fullKey) => {
      const key = fullKey.slice(fullKey.indexOf(":") + 1);
      const what = absent[fullKey];
      const origin: ConfigOrigin = { kind: "config", key, ...(what !== undefined && { absent: what }) };
      return [fullKey, this.placeholder(fullKey, origin, (mark) => `https://${mark}.invalid`)];
    });
    return { ...config, ...Object.fromEntries(secrets) };
  }

  /** The text in pieces: literal text, and the values whose stand-ins, or hashes of these, it holds. */
  split(text: string): TextPart[] {
    const found = [...text.matchAll(STAND_IN)];
    const parts: TextPart[] = [];
    let end = 0;
    for (const match of found) {
      const value = this.values.get(match[0]);
      if (value) {
        parts.push(...(match.index > end ? [text.slice(end, match.index)] : []), value);
        end = match.index + match[0].length;
      }
    }
    return [...parts, ...(end < text.length ? [text.slice(end)] : [])];
  }

  private placeholder(id: string, origin: PendingValue["origin"], text: (mark: string) => string): string {
    // Starts like every answer of an offline run. Fixed width: no stand-in begins another one.
    const mark = `offline-${this.run}-${String(this.count++).padStart(6, "0")}-x`;
    const standIn = text(mark);
    const value = { id, origin };
    this.values.set(standIn, value);
    this.values.set(createHash("sha256").update(standIn).digest("hex"), { sha256Of: value });
    return standIn;
  }
}

/** A script on a machine of one's own. */
const HOST_COMMAND = "command:remote:Command";

/** What is before the last part of an ARN, which programs read: the account and the region of what Amazon makes. */
function placeIn(value: string): string {
  return /^arn:[^:]+:[^:]*:[^:]*:[^:]*:([^:]*[:/])?/.exec(value)?.[0] ?? "";
}

const STAND_IN = /https:\/\/offline-[a-z]-\d{6,}-x\.invalid|offline-[a-z]-\d{6,}-x|\b[0-9a-f]{64}\b/g;

/**
 * Placeholder in files for the group that opens the GPUs of a machine, the one number that only a deployment reads there. The API server takes
 * no text in its place: files in which it was left are refused.
 */
export const GPU_DEVICE_GROUP = "GPU_DEVICE_GROUP";
const GROUPS_OF_PODS = /\.supplementalGroups\[\d+\]$/;

/**
 * The value that both runs have, with a `PendingText` for each text that differs, and `GPU_DEVICE_GROUP` for that number.
 *
 * @throws Error for another number that differs, and when pending values decide the structure: which keys there are, or how long a
 *   list is.
 */
export function compare(path: string, first: unknown, a: StandIns, second: unknown, b: StandIns): unknown {
  if (typeof first === "string" && typeof second === "string") {
    return first === second ? first : pendingText(a.split(first), b.split(second));
  }
  if (Array.isArray(first) && Array.isArray(second) && first.length === second.length) {
    return first.map((item, i) => compare(`${path}[${i}]`, item, a, second[i], b));
  }
  if (isPlainObject(first) && isPlainObject(second)) {
    const keys = Object.keys(first);
    if (keys.length === Object.keys(second).length && keys.every((key) => Object.hasOwn(second, key))) {
      return Object.fromEntries(keys.map((key) => [key, compare(`${path}.${key}`, first[key], a, second[key], b)]));
    }
  }
  if (Object.is(first, second)) {
    return first;
  }
  if (typeof first === "number" && typeof second === "number" && GROUPS_OF_PODS.test(path)) {
    return GPU_DEVICE_GROUP;
  }
  throw new Error(anotherShape(path));
}

function anotherShape(path: string): string {
  return `${path} takes another shape with other secrets: make it independent of their values`;
}

function pendingText(first: readonly TextPart[], second: readonly TextPart[]): PendingText {
  const same =
    first.length === second.length && first.every((part, i) => identityOf(part) === identityOf(second[i] ?? ""));
  return new PendingText(same ? first : undefined);
}

/** The same in both runs for what is the same but for its stand-in. */
function identityOf(part: TextPart): string {
  if (typeof part === "string") {
    return `text ${part}`;
  }
  return "id" in part ? `value ${part.id}` : `hash ${part.sha256Of.id}`;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Paths of the pending texts in a value, as `a.b[0]`. */
export function pendingPaths(value: unknown, path: readonly (string | number)[] = []): PendingPath[] {
  if (value instanceof PendingText) {
    return [{ path, text: value }];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => pendingPaths(item, [...path, i]));
  }
  return isPlainObject(value) ? Object.entries(value).flatMap(([key, item]) => pendingPaths(item, [...path, key])) : [];
}

export interface PendingPath {
  readonly path: readonly (string | number)[];
  readonly text: PendingText;
}

/** Texts of values that a deployment made, by their ids. */
export type KnownValues = ReadonlyMap<string, string>;

/**
 * What a deployment made, by what a run without one had in the same places.
 *
 * @param recorded outputs of the run, with stand-ins.
 * @param deployed the same outputs of a deployment.
 */
export function knownValues(recorded: unknown, deployed: unknown, standIns: StandIns): KnownValues {
  const known = new Map<string, string>();
  const walk = (one: unknown, other: unknown): void => {
    if (typeof one === "string" && typeof other === "string") {
      const [only, ...others] = standIns.split(one);
      if (typeof only === "object" && "id" in only && only.origin.kind === "deployment" && others.length === 0) {
        known.set(only.id, other);
      }
    } else if (isPlainObject(one) && isPlainObject(other)) {
      for (const key of Object.keys(one).filter((each) => Object.hasOwn(other, each))) {
        walk(one[key], other[key]);
      }
    }
  };
  walk(recorded, deployed);
  return known;
}

/** The value with what a deployment made in its place. Texts that need more than that stay pending. */
export function withKnown(value: unknown, known: KnownValues): unknown {
  if (value instanceof PendingText) {
    const texts = value.parts?.map((part) => (typeof part === "object" && "id" in part ? known.get(part.id) : part));
    return texts?.every((text) => typeof text === "string") ? texts.join("") : value;
  }
  if (Array.isArray(value)) {
    return value.map((item) => withKnown(item, known));
  }
  return isPlainObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withKnown(item, known)]))
    : value;
}

/** Whether a text holds what a deployment makes, and nothing that may be a secret. */
export function isMade({ parts }: PendingText): boolean {
  return (
    parts?.every((part) => typeof part === "string" || ("id" in part && part.origin.kind === "deployment")) ?? false
  );
}
