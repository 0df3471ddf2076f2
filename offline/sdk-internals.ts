import { requireAsSdk } from "../stacks/sdk-traces";

interface Messages {
  readonly Struct: (new () => object) & { fromJavaScript(value: object): object };
}

interface Debugging {
  debuggablePromise<T>(promise: Promise<T>, context?: string): Promise<T>;
}

const { Struct }: Messages = requireAsSdk("google-protobuf/google/protobuf/struct_pb.js");
const debugging: Debugging = requireAsSdk("@pulumi/pulumi/runtime/debuggable.js");

/** A message with properties that nothing packed. */
class Unpacked extends Struct {
  constructor(private readonly value: object) {
    super();
  }

  toJavaScript(): object {
    return this.value;
  }
}

/**
 * Has the SDK pass properties on as they are: it packs them into protobuf messages for an engine in another process, and
 * unpacks its answers.
 *
 * @returns what undoes that.
 */
export function skipMessages(): () => void {
  const before = Struct.fromJavaScript;
  Struct.fromJavaScript = (value) => new Unpacked(value);
  return () => {
    Struct.fromJavaScript = before;
  };
}

/**
 * Has the SDK keep no record of each promise for its report on those that never settle: an offline run reports them
 * itself (`UnsettledProgramError`).
 *
 * @returns what undoes that.
 */
export function skipPromiseRecords(): () => void {
  const before = debugging.debuggablePromise;
  debugging.debuggablePromise = (promise) => promise;
  return () => {
    debugging.debuggablePromise = before;
  };
}
