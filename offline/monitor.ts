import * as pulumi from "@pulumi/pulumi";
import { MockMonitor, type MockResourceArgs, type Mocks } from "@pulumi/pulumi/runtime/mocks";
import { deserializeProperties, serializeProperties } from "@pulumi/pulumi/runtime/rpc";

/** Fields of a registration used here. */
interface RegisterRequest {
  getType(): string;
  getName(): string;
  getParent(): string;
  getObject(): Parameters<typeof deserializeProperties>[0];
  getProvider(): string;
  getCustom(): boolean;
  getImportid(): string;
  /** URNs from this monitor. */
  getDependenciesList(): string[];
  /** Same by computed property. */
  getPropertydependenciesMap(): {
    forEach(visit: (origins: { getUrnsList(): string[] }, property: string) => void): void;
  };
}

/** Identity of a resource in a program. */
export interface ResourceKey {
  readonly type: string;
  readonly name: string;
}

export interface Dependencies {
  /** Resources that the engine finishes first. */
  readonly waitsFor: readonly ResourceKey[];
  /** Source resources by computed property. */
  readonly origins: Readonly<Record<string, readonly ResourceKey[]>>;
}

export interface Answering extends Mocks {
  newResource(args: MockResourceArgs & Dependencies): ReturnType<Mocks["newResource"]>;
}

interface RegisterAnswer {
  getUrn(): string;
  getId(): string;
  getObject(): { toJavaScript(): Record<string, unknown> };
  getPropertydependenciesMap(): undefined;
  /** 0: the resource was created. */
  getResult(): number;
}

/**
 * The SDK's mocks with answers kept in process: packing, logging and unpacking protobuf messages
 * takes more than a tenth of a run.
 */
class InProcessMonitor extends MockMonitor {
  constructor(private readonly answering: Answering) {
    // Reads, such as of another stack, have no dependencies.
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
      // Plain data needs no serialization.
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

/** Whether a value has only maps, lists and scalars, without outputs, assets or resources. */
function isPlainData(value: unknown): boolean {
  if (typeof value !== "object" || value === null) {
    return value !== undefined && typeof value !== "function";
  }
  const isOpen = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  return isOpen && Object.values(value).every(isPlainData);
}

const STACK_TYPE = "pulumi:pulumi:Stack";

/**
 * URN as in the SDK's mocks, with only the parent's type; without the stack's, as in the engine.
 */
function mockUrn(parent: string, type: string, name: string): string {
  const above = parent === "" ? undefined : parent.split("::")[2]?.split("$").pop();
  const qualified = above === undefined || above === STACK_TYPE ? type : `${above}$${type}`;
  return `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${qualified}::${name}`;
}

/** Resource of a URN from `mockUrn`. */
function keyIn(urn: string): ResourceKey {
  const [, , types = "", ...name] = urn.split("::");
  return { type: types.slice(types.lastIndexOf("$") + 1), name: name.join("::") };
}

export async function useMocks(mocks: Answering, project: string, stack: string, preview: boolean): Promise<void> {
  // Also sets the runtime's feature support.
  await pulumi.runtime.setMocks(mocks, project, stack, preview);
  pulumi.runtime.setMockOptions(new InProcessMonitor(mocks), project, stack, preview);
}
