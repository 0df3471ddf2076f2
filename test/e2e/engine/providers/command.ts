import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import * as grpc from "@grpc/grpc-js";
import { type PluginAttach, PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { type IResourceProviderServer, ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { answer, nameOf, properties, struct, typeOf } from "./cloud/engine-messages";
import { remoteCommand } from "./remote-command";
import { type Properties, plain } from "./secrets";
import { EngineLog } from "./ssh/engine-log";
import type { Printed } from "./ssh/run";

/** What is known of a command, secrets shown: its arguments, and what it printed when it ran last. */
export interface CommandState extends Partial<Printed> {
  readonly create?: string;
  readonly update?: string;
  readonly delete?: string;
  readonly stdin?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly logging?: "stdout" | "stderr" | "stdoutAndStderr" | "none";
  readonly addPreviousOutputInEnv?: boolean;
}

/**
 * Runs a command of a resource.
 *
 * @throws Error with the message that the engine shows.
 */
export type CommandRun = (urn: string, command: string, state: CommandState) => Promise<Printed>;

/** How the engine writes a value that is not known yet. */
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const log = new EngineLog();

/** By the token of the resource. */
const RUNS: Readonly<Record<string, CommandRun>> = {
  "command:remote:Command": remoteCommand(log),
};

/**
 * Stands in for the official `command` provider 1.2.1, whose plugin is not to be had here. What a change does is as in its
 * source (provider/pkg/provider/remote/commandController.go and common/inputs.go, read 2026-11-23): a changed argument
 * runs `update`, or `create` where there is none; a changed trigger replaces; what is deleted runs the `delete` of the
 * state, with the standard input and the connection of the state. A `create` that fails leaves nothing in the state.
 */
const handlers: Partial<IResourceProviderServer> = {
  attach: answer((request: PluginAttach) => {
    log.attach(request.getAddress());
    return new Empty();
  }),
  cancel: answer(() => new Empty()),
  getPluginInfo: answer(() => {
    const info = new PluginInfo();
    info.setVersion("1.2.1");
    return info;
  }),
  configure: answer(() => {
    const response = new messages.ConfigureResponse();
    response.setAcceptsecrets(true);
    response.setAcceptresources(true);
    response.setAcceptoutputs(true);
    response.setSupportspreview(true);
    return response;
  }),
  check: answer((request: messages.CheckRequest) => {
    const response = new messages.CheckResponse();
    response.setInputs(request.getNews());
    return response;
  }),
  diff: answer((request: messages.DiffRequest) => diff(request)),
  create: answer(async (request: messages.CreateRequest) => {
    const given = properties(request.getProperties());
    const state = plain(given) as CommandState;
    const response = new messages.CreateResponse();
    response.setId(`${nameOf(request.getUrn())}${randomBytes(4).toString("hex")}`);
    const printed = request.getPreview() ? later() : await run(request.getUrn(), state.create, state);
    response.setProperties(struct({ ...given, ...printed }));
    return response;
  }),
  update: answer(async (request: messages.UpdateRequest) => {
    const given = properties(request.getNews());
    const before = plain(properties(request.getOlds())) as CommandState;
    const { stdout = "", stderr = "" } = before;
    const state = { ...(plain(given) as CommandState), stdout, stderr };
    const response = new messages.UpdateResponse();
    const printed = request.getPreview() ? later() : await run(request.getUrn(), state.update ?? state.create, state);
    response.setProperties(struct({ ...given, ...printed }));
    return response;
  }),
  read: answer((request: messages.ReadRequest) => {
    const response = new messages.ReadResponse();
    response.setId(request.getId());
    response.setProperties(request.getProperties());
    response.setInputs(request.getInputs());
    return response;
  }),
  delete: answer(async (request: messages.DeleteRequest) => {
    const state = plain(properties(request.getProperties())) as CommandState;
    await run(request.getUrn(), state.delete, state);
    return new Empty();
  }),
};

function diff(request: messages.DiffRequest): messages.DiffResponse {
  const before = plain(properties(request.getOldInputs())) as Properties;
  const after = plain(properties(request.getNews())) as Properties;
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => !key.startsWith("__"));
  const changed = keys.filter((key) => !isDeepStrictEqual(before[key], after[key]));
  const { DIFF_SOME, DIFF_NONE } = messages.DiffResponse.DiffChanges;
  const response = new messages.DiffResponse();
  response.setChanges(changed.length > 0 ? DIFF_SOME : DIFF_NONE);
  response.setDiffsList(changed);
  response.setReplacesList(changed.filter((key) => key === "triggers"));
  return response;
}

async function run(urn: string, command: string | undefined, state: CommandState): Promise<Printed> {
  const { stdout = "", stderr = "" } = state;
  if (command === undefined) {
    return { stdout, stderr };
  }
  const type = typeOf(urn);
  const runs = Object.hasOwn(RUNS, type) ? RUNS[type] : undefined;
  if (runs === undefined) {
    throw new Error(`test/e2e/engine/providers/command.ts does not know ${type}`);
  }
  return runs(urn, command, state);
}

function later(): Printed {
  return { stdout: UNKNOWN, stderr: UNKNOWN };
}

const server = new grpc.Server();
server.addService(ResourceProviderService, handlers as IResourceProviderServer);
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) {
    throw error;
  }
  console.log(port);
});
