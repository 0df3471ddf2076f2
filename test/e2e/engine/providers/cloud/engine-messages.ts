import * as grpc from "@grpc/grpc-js";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { messageOf } from "../../../../../names/message-of";
import type { Change } from "./arguments";
import type { Properties } from "./store";

/** `oci:Core/vcn:Vcn`, of the URN of a resource. */
export function typeOf(urn: string): string {
  return urn.split("::")[2]?.split("$").at(-1) ?? "";
}

export function nameOf(urn: string): string {
  return urn.slice(urn.lastIndexOf("::") + 2);
}

export function properties(given: Struct | undefined): Properties {
  return given?.toJavaScript() ?? {};
}

export function struct(values: Properties): Struct {
  return Struct.fromJavaScript(values as Parameters<typeof Struct.fromJavaScript>[0]);
}

export function kindOf({ kind, replaces }: Change): messages.PropertyDiff.Kind {
  const kinds = messages.PropertyDiff.Kind;
  switch (kind) {
    case "add":
      return replaces ? kinds.ADD_REPLACE : kinds.ADD;
    case "delete":
      return replaces ? kinds.DELETE_REPLACE : kinds.DELETE;
    case "update":
      return replaces ? kinds.UPDATE_REPLACE : kinds.UPDATE;
  }
}

/** A call that is answered with what `respond` gives, or with its error's message. */
export function answer<Request, Response>(
  respond: (request: Request) => Response | Promise<Response>,
): grpc.handleUnaryCall<Request, Response> {
  return ({ request }, callback) => {
    Promise.resolve()
      .then(() => respond(request))
      .then(
        (response) => callback(null, response),
        (error: unknown) => {
          const message = messageOf(error);
          callback({ code: grpc.status.UNKNOWN, message, details: message });
        },
      );
  };
}
