import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export type Properties = Readonly<Record<string, unknown>>;

/** Something in the cloud. */
export interface CloudResource {
  readonly id: string;
  /** Token of its type. */
  readonly type: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
  /** Whether it can be used already. */
  readonly ready: boolean;
}

/** What the provider was asked to do, or what happened in the cloud, in the order of events. */
export interface CloudEvent {
  /** `create`, `created`, `update`, `updated`, `delete`, `deleted`, `read`, `invoke`, `node added`, `node gone`… */
  readonly event: string;
  /** Token of a resource's type or of a function; name of a node. */
  readonly subject: string;
  readonly id?: string;
  /** Logical name of the resource. */
  readonly name?: string;
  readonly inputs?: Properties;
  /** Seconds that the program lets it take, where it says so. */
  readonly timeout?: number;
}

/**
 * What there is in the cloud, kept in a folder: it outlives engines and providers, as a cloud does. One process writes it; tests
 * read it.
 */
export class CloudStore {
  private readonly file: string;
  private readonly journal: string;
  private readonly refusals: string;

  constructor(folder: string) {
    this.file = join(folder, "cloud.json");
    this.journal = join(folder, "cloud-events.jsonl");
    this.refusals = join(folder, "cloud-refusals.json");
  }

  /** Has the cloud refuse to make or change resources, by logical name, with these messages, until it is told otherwise. */
  refuse(messages: Readonly<Record<string, string>>): void {
    writeFileSync(this.refusals, JSON.stringify(messages));
  }

  /** What the cloud refuses a resource with. */
  refusalOf(name: string): string | undefined {
    return existsSync(this.refusals)
      ? (JSON.parse(readFileSync(this.refusals, "utf8")) as Readonly<Record<string, string>>)[name]
      : undefined;
  }

  all(): readonly CloudResource[] {
    return existsSync(this.file) ? (JSON.parse(readFileSync(this.file, "utf8")) as CloudResource[]) : [];
  }

  /** @param type all of them when absent. */
  of(type: string): readonly CloudResource[] {
    return this.all().filter((resource) => resource.type === type);
  }

  /** @param type of clouds whose ids are names: two resources may have one. */
  get(id: string, type?: string): CloudResource | undefined {
    return this.all().find((resource) => resource.id === id && resource.type === (type ?? resource.type));
  }

  put(resource: CloudResource): void {
    const others = this.all().filter(({ id, type }) => id !== resource.id || type !== resource.type);
    this.write([...others, resource]);
  }

  remove(id: string, type?: string): void {
    this.write(this.all().filter((resource) => resource.id !== id || resource.type !== (type ?? resource.type)));
  }

  record(event: CloudEvent): void {
    appendFileSync(this.journal, `${JSON.stringify(event)}\n`);
  }

  events(): readonly CloudEvent[] {
    if (!existsSync(this.journal)) {
      return [];
    }
    const lines = readFileSync(this.journal, "utf8").trimEnd().split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as CloudEvent);
  }

  /** Other resources whose arguments name one of these ids, themselves in use. */
  users(ids: readonly string[], { id, type }: Pick<CloudResource, "id" | "type">): readonly CloudResource[] {
    return this.all().filter(
      (other) => !(other.id === id && other.type === type) && idsIn(other.inputs).some((each) => ids.includes(each)),
    );
  }

  private write(resources: readonly CloudResource[]): void {
    // Whoever reads meanwhile sees the one or the other.
    writeFileSync(`${this.file}.new`, JSON.stringify(resources));
    renameSync(`${this.file}.new`, this.file);
  }
}

/** Every text in arguments that may be an id: tags refer to nothing. */
export function idsIn(value: unknown): string[] {
  if (typeof value === "string") {
    return [value];
  }
  return value !== null && typeof value === "object"
    ? Object.entries(value).flatMap(([key, each]) => (/^tags|Tags$|^tagSpecifications$/.test(key) ? [] : idsIn(each)))
    : [];
}
