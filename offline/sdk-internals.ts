import { requireAsSdk } from "../stacks/sdk-traces";

interface Messages {
  readonly Struct: (new () => object) & { fromJavaScript(value: object): object };
}

interface Debugging {
  debuggablePromise<T>(promise: Promise<T>, context?: string): Promise<T>;
}

const { Struct }: Messages = requireAsSdk("google-protobuf/google/protobuf/struct_pb.js");
const debugging: Debugging = requireAsSdk("@pulumi/pulumi/runtime/debuggable.js");

/** Message with unserialized properties. */
class Unpacked extends Struct {
  constructor(private readonly value: object) {
    super();
  }

  toJavaScript(): object {
    return this.value;
  }
}

/**
 * Lets the SDK pass properties unserialized, instead of as protobuf messages.
 *
 * @returns function that restores it.
 */
export function skipMessages(): () => void {
  const before = Struct.fromJavaScript;
  Struct.fromJavaScript = (value) => new Unpacked(value);
  return () => {
    Struct.fromJavaScript = before;
  };
}

/**
 * Disables the SDK's promise tracking: an offline run reports unsettled promises itself
 * (`UnsettledProgramError`).
 *
 * @returns function that restores it.
 */
export function skipPromiseRecords(): () => void {
  const before = debugging.debuggablePromise;
  debugging.debuggablePromise = (promise) => promise;
  return () => {
    debugging.debuggablePromise = before;
  };
}
