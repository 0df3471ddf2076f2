import * as pulumi from "@pulumi/pulumi";
import { MockMonitor, type MockResourceArgs, type Mocks } from "@pulumi/pulumi/runtime/mocks";
import { deserializeProperties, serializeProperties } from "@pulumi/pulumi/runtime/rpc";

/** As much of a registration as is read here. */
interface RegisterRequest {
  getType(): string;
  getName(): string;
  getParent(): string;
  getObject(): Parameters<typeof deserializeProperties>[0];
  getProvider(): string;
  getCustom(): boolean;
  getImportid(): string;
  /** URNs as this monitor gives them. */
  getDependenciesList(): string[];
  /** The same of each property that was computed from other resources. */
  getPropertydependenciesMap(): {
    forEach(visit: (origins: { getUrnsList(): string[] }, property: string) => void): void;
  };
}

/** What tells the resources of a program apart. */
export interface ResourceKey {
  readonly type: string;
  readonly name: string;
}

/** What a registration depends on. */
export interface Dependencies {
  /** Resources that the engine would finish first. */
  readonly waitsFor: readonly ResourceKey[];
  /** Resources that a property was computed from, by property; only of those that were. */
  readonly origins: Readonly<Record<string, readonly ResourceKey[]>>;
}

/** What answers for the providers. */
export interface Answering extends Mocks {
  newResource(args: MockResourceArgs & Dependencies): ReturnType<Mocks["newResource"]>;
}

/** What the runtime asks an answer for. */
interface RegisterAnswer {
  getUrn(): string;
  getId(): string;
  getObject(): { toJavaScript(): Record<string, unknown> };
  getPropertydependenciesMap(): undefined;
  /** 0: the resource was made. */
  getResult(): number;
}

/**
 * The SDK's own mocks, whose answers stay in this process: theirs is packed into a message of protobuf, written out as text for a
 * log that nobody reads, and unpacked, which together is more than a tenth of a run.
 */
class InProcessMonitor extends MockMonitor {
  constructor(private readonly answering: Answering) {
    // What is read, such as another stack, waits for nothing.
    super({ ...answering, newResource: (args) => answering.newResource({ ...args, waitsFor: [], origins: {} }) });
  }

  override async registerResource(
    request: RegisterRequest,
    callback: (error: unknown, answer: RegisterAnswer | undefined) => void,
  ): Promise<void> {
    try {
      const { id, state } = await this.answering.newResource({
        type: request.getType(),
        name: request.getName(),
        inputs: deserializeProperties(request.getObject()),
        provider: request.getProvider(),
        custom: request.getCustom(),
        id: request.getImportid(),
        waitsFor: request.getDependenciesList().map(keyIn),
        origins: originsOf(request),
      });
      const urn = mockUrn(request.getParent(), request.getType(), request.getName());
      // Plain data is what it would be serialized to.
      const object = isPlainData(state) ? state : await serializeProperties("", state);
      this.resources.set(urn, { urn, id: id ?? null, state: object });
      callback(null, {
        getUrn: () => urn,
        getId: () => id ?? "",
        getObject: () => ({ toJavaScript: () => object }),
        getPropertydependenciesMap: () => undefined,
        getResult: () => 0,
      });
    } catch (error) {
      callback(error, undefined);
    }
  }
}

function originsOf(request: RegisterRequest): Record<string, readonly ResourceKey[]> {
  const origins: Record<string, readonly ResourceKey[]> = {};
  request.getPropertydependenciesMap().forEach((found, property) => {
    const urns = found.getUrnsList();
    if (urns.length > 0) {
      origins[property] = urns.map(keyIn);
    }
  });
  return origins;
}

/** Whether a value is made of maps, lists and scalars alone: of no output, asset or resource. */
function isPlainData(value: unknown): boolean {
  if (typeof value !== "object" || value === null) {
    return value !== undefined && typeof value !== "function";
  }
  const isOpen = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  return isOpen && Object.values(value).every(isPlainData);
}

const STACK_TYPE = "pulumi:pulumi:Stack";

/** As the SDK's mocks name resources, with the type of the parent alone; without the stack's, as the engine does. */
function mockUrn(parent: string, type: string, name: string): string {
  const above = parent === "" ? undefined : parent.split("::")[2]?.split("$").pop();
  const qualified = above === undefined || above === STACK_TYPE ? type : `${above}$${type}`;
  return `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${qualified}::${name}`;
}

/** The resource that a URN of `mockUrn` is of. */
function keyIn(urn: string): ResourceKey {
  const [, , types = "", ...name] = urn.split("::");
  return { type: types.slice(types.lastIndexOf("$") + 1), name: name.join("::") };
}

/** Has the program's resources answered by `mocks`. */
export async function useMocks(mocks: Answering, project: string, stack: string, preview: boolean): Promise<void> {
  // Sets what the runtime may ask for, too.
  await pulumi.runtime.setMocks(mocks, project, stack, preview);
  pulumi.runtime.setMockOptions(new InProcessMonitor(mocks), project, stack, preview);
}
