import * as settings from "@pulumi/pulumi/runtime/settings";

/** What the SDK's clients of an engine are made with (3.248, runtime/settings.ts `grpcClientOptions`, which its types leave out). */
interface Internals {
  readonly grpcClientOptions?: Record<string, unknown>;
}

/**
 * Gives each program of this process connections of its own to its engine.
 *
 * Without, gRPC's clients share one connection for an address (grpc-js 1.14, subchannel-pool.ts), also with programs that are over: one
 * that was refused goes on asking its dead engine, so that its connection waits before it tries again, longer each time, up to two
 * minutes. An engine that gets the port of a dead one — of 28,000, Linux gives listeners some 7,000 — is unavailable to its program
 * all that time. The SDK ends such a program before it begins, at `setRootResource`, and says that it ended well (automation/server.ts
 * leaves out what `isGrpcError` is true of): one without resources, so the engine deletes them all.
 *
 * @throws Error where the SDK keeps these options elsewhere.
 */
export function connectAlone(): void {
  const { grpcClientOptions } = settings as Internals;
  if (grpcClientOptions === undefined) {
    throw new Error("this version of @pulumi/pulumi keeps the options of its clients elsewhere: see runtime/settings");
  }
  grpcClientOptions["grpc.use_local_subchannel_pool"] = 1;
}
