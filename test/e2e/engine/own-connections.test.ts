import * as grpc from "@grpc/grpc-js";
import { ResourceMonitorService } from "@pulumi/pulumi/proto/resource_grpc_pb";
import { SupportsFeatureRequest, SupportsFeatureResponse } from "@pulumi/pulumi/proto/resource_pb";
import { getMonitor, resetOptions } from "@pulumi/pulumi/runtime/settings";
import { afterEach, describe, expect, it } from "vitest";
import { connectAlone } from "./own-connections";

describe("programs of one process", () => {
  const engines: grpc.Server[] = [];

  afterEach(() => {
    for (const engine of engines.splice(0)) {
      engine.forceShutdown();
    }
  });

  /** An engine that answers one question. */
  const engine = async (port = 0): Promise<number> => {
    const server = new grpc.Server();
    engines.push(server);
    server.addService(ResourceMonitorService, {
      supportsFeature: (_: unknown, callback: grpc.sendUnaryData<SupportsFeatureResponse>) => {
        callback(null, new SupportsFeatureResponse());
      },
    });
    return new Promise((resolve, reject) => {
      server.bindAsync(`127.0.0.1:${port}`, grpc.ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
  };

  /** What a program that begins now makes of its engine: a question gets an answer, or a status of gRPC's. */
  const program = (port: number) => {
    resetOptions("project", "stack", 1, "", `127.0.0.1:${port}`, false, "");
    const client = getMonitor();
    return (): Promise<string> =>
      new Promise((resolve) => {
        client?.supportsFeature(new SupportsFeatureRequest(), (error: grpc.ServiceError | null) => {
          resolve(error === null ? "answered" : (grpc.status[error.code] ?? ""));
        });
      });
  };

  it("reach an engine at the port of one that ended, which an older program goes on asking", async () => {
    connectAlone();
    const port = await engine();
    const older = program(port);
    expect(await older()).toBe("answered");
    engines.pop()?.forceShutdown();
    await expect.poll(older).toBe("UNAVAILABLE");
    await engine(port);
    expect(await program(port)()).toBe("answered");
  });
});
