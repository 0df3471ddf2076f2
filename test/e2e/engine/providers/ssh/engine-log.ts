import * as grpc from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";

/** What a provider tells of a resource, in the engine that uses it: each engine says where it listens when it attaches. */
export class EngineLog {
  private client: EngineClient | undefined;

  attach(address: string): void {
    this.client?.close();
    this.client = new EngineClient(address, grpc.credentials.createInsecure());
  }

  /** Shown while the resource is worked on. */
  status(urn: string, message: string): Promise<void> {
    return this.log(urn, message, LogSeverity.INFO, true);
  }

  warning(urn: string, message: string): Promise<void> {
    return this.log(urn, message, LogSeverity.WARNING);
  }

  error(urn: string, message: string): Promise<void> {
    return this.log(urn, message, LogSeverity.ERROR);
  }

  private log(urn: string, message: string, severity: LogSeverity, ephemeral = false): Promise<void> {
    const request = new LogRequest();
    request.setSeverity(severity);
    request.setUrn(urn);
    request.setMessage(message);
    request.setEphemeral(ephemeral);
    // An engine that was killed hears nothing; what runs on a machine goes on.
    return new Promise((resolve) => (this.client ? this.client.log(request, () => resolve()) : resolve()));
  }
}
