import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import * as grpc from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { type IResourceProviderServer, ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { ProviderFunction } from "../../../../offline/answers";
import { type ArgumentFacts, argumentChanges, argumentFailures } from "./cloud/arguments";
import { answer, kindOf, nameOf, properties, struct, typeOf } from "./cloud/engine-messages";
import { type CloudResource, type CloudStore, idsIn, type Properties } from "./cloud/store";
import { plain } from "./secrets";

/** What a resource of a type is beside its arguments. All of it may be left out. */
export interface CloudType {
  /** Outputs besides the arguments; of a change, with what the resource was before. */
  readonly outputs?: (inputs: Properties, id: string, before?: CloudResource) => Properties;
  /** Milliseconds that the cloud takes. @default 0 */
  readonly delays?: Partial<Record<"create" | "update" | "delete", number>>;
  /** What comes with it once it is made. */
  readonly made?: (resource: CloudResource) => Promise<void>;
  readonly changed?: (before: CloudResource, after: CloudResource) => Promise<void>;
  /** What goes before it does. */
  readonly leaving?: (resource: CloudResource) => Promise<void>;
}

/** A cloud, as far as a program of ours meets it. */
export interface CloudDefinition {
  readonly version: string;
  /** By token: a resource of another type is refused. */
  readonly facts: Readonly<Record<string, ArgumentFacts>>;
  readonly types: Readonly<Record<string, CloudType>>;
  readonly functions: Readonly<Record<string, ProviderFunction>>;
  readonly newId: (type: string, inputs: Properties) => string;
  /** Whether a text is an id that this cloud gave. */
  readonly isOwnId: (text: string) => boolean;
  /** What else others refer to a resource by. @default by its id alone */
  readonly alsoKnownAs?: (resource: CloudResource) => readonly string[];
  /** Says no to what cannot be made or changed so. @default nothing more than of every cloud */
  readonly examine?: (type: string, inputs: Properties) => void;
}

/** Calls of the engine that a provider without components and settings answers. */
type Handled =
  | "attach"
  | "cancel"
  | "getPluginInfo"
  | "configure"
  | "check"
  | "diff"
  | "create"
  | "read"
  | "update"
  | "delete"
  | "invoke";

/** How the engine writes a value that is not known yet. */
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/**
 * A provider of the engine that makes nothing but records, in a store that outlives the engine. What the providers of clouds
 * have in common: unknown and missing arguments are refused before anything is made; a change of some arguments replaces the
 * resource; what others refer to cannot be deleted, nor referred to once it is gone; making takes time, and goes on when the
 * engine is killed.
 */
export class CloudProvider {
  constructor(
    private readonly cloud: CloudDefinition,
    private readonly store: CloudStore,
  ) {}

  /** Serves the engine; the port is the first line of standard output, as the engine expects of its plugins. */
  serve(): void {
    const server = new grpc.Server();
    server.addService(ResourceProviderService, this.handlers());
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
      if (error) {
        throw error;
      }
      console.log(port);
    });
  }

  private handlers(): Pick<IResourceProviderServer, Handled> {
    return {
      attach: answer(() => new Empty()),
      cancel: answer(() => new Empty()),
      getPluginInfo: answer(() => {
        const info = new PluginInfo();
        info.setVersion(this.cloud.version);
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
      check: answer((request: messages.CheckRequest) => this.check(request)),
      diff: answer((request: messages.DiffRequest) => this.diff(request)),
      create: answer((request: messages.CreateRequest) => this.create(request)),
      read: answer((request: messages.ReadRequest) => this.read(request)),
      update: answer((request: messages.UpdateRequest) => this.update(request)),
      delete: answer((request: messages.DeleteRequest) => this.delete(request)),
      invoke: answer((request: messages.InvokeRequest) => this.invoke(request)),
    };
  }

  private check(request: messages.CheckRequest): messages.CheckResponse {
    const type = typeOf(request.getUrn());
    const facts = this.factsOf(type);
    const news = properties(request.getNews());
    const isNameless = facts.name !== undefined && news.name === undefined;
    // As the real provider names what must have a name.
    const name =
      properties(request.getOlds()).name ?? `${nameOf(request.getUrn())}-${randomBytes(4).toString("hex").slice(1)}`;
    const inputs = isNameless ? { ...news, name } : news;
    const response = new messages.CheckResponse();
    response.setInputs(struct(inputs));
    response.setFailuresList(
      argumentFailures(facts, plain(inputs) as Properties).map(({ property, reason }) => {
        const failure = new messages.CheckFailure();
        failure.setProperty(property);
        failure.setReason(reason);
        return failure;
      }),
    );
    return response;
  }

  private diff(request: messages.DiffRequest): messages.DiffResponse {
    const before = plain(properties(request.getOldInputs())) as Properties;
    const after = plain(properties(request.getNews())) as Properties;
    const changes = argumentChanges(this.factsOf(typeOf(request.getUrn())), before, after);
    const { DIFF_SOME, DIFF_NONE } = messages.DiffResponse.DiffChanges;
    const response = new messages.DiffResponse();
    response.setChanges(changes.length > 0 ? DIFF_SOME : DIFF_NONE);
    response.setReplacesList(changes.filter(({ replaces }) => replaces).map(({ path }) => path));
    response.setDiffsList([...new Set(changes.map(({ path }) => path.split(/[.[]/)[0] ?? path))]);
    response.setHasdetaileddiff(true);
    for (const change of changes) {
      const difference = new messages.PropertyDiff();
      difference.setKind(kindOf(change));
      difference.setInputdiff(true);
      response.getDetaileddiffMap().set(change.path, difference);
    }
    return response;
  }

  private async create(request: messages.CreateRequest): Promise<messages.CreateResponse> {
    const type = typeOf(request.getUrn());
    const given = properties(request.getProperties());
    const inputs = plain(given) as Properties;
    const { outputs, delays, made } = this.cloud.types[type] ?? {};
    const response = new messages.CreateResponse();
    if (request.getPreview()) {
      const later = Object.keys(outputs?.(inputs, "") ?? {}).map((key) => [key, UNKNOWN]);
      response.setProperties(struct({ ...Object.fromEntries(later), ...given }));
      return response;
    }
    const asked = { subject: type, name: nameOf(request.getUrn()), inputs, timeout: request.getTimeout() };
    this.store.record({ event: "create", ...asked });
    this.requireAll(type, inputs);
    const id = this.cloud.newId(type, inputs);
    if (this.store.get(id, type) !== undefined) {
      throw new Error(`409-Conflict, there is a ${type} ${id} already`);
    }
    const resource = { id, type, inputs, outputs: outputs?.(inputs, id) ?? {}, ready: false };
    this.store.put(resource);
    await sleep(delays?.create ?? 0);
    try {
      this.requireWilling(asked.name);
      await made?.(resource);
    } catch (error) {
      this.store.remove(id, type);
      throw error;
    }
    this.store.put({ ...resource, ready: true });
    this.store.record({ event: "created", ...asked, id });
    response.setId(id);
    response.setProperties(struct({ ...given, ...resource.outputs }));
    return response;
  }

  private read(request: messages.ReadRequest): messages.ReadResponse {
    const id = request.getId();
    this.store.record({ event: "read", subject: typeOf(request.getUrn()), id, name: nameOf(request.getUrn()) });
    const found = this.store.get(id, typeOf(request.getUrn()));
    const response = new messages.ReadResponse();
    if (found !== undefined) {
      response.setId(id);
      response.setProperties(struct({ ...found.inputs, ...found.outputs }));
      response.setInputs(struct(found.inputs));
    }
    return response;
  }

  private async update(request: messages.UpdateRequest): Promise<messages.UpdateResponse> {
    const type = typeOf(request.getUrn());
    const given = properties(request.getNews());
    const inputs = plain(given) as Properties;
    const id = request.getId();
    const { outputs, delays, changed } = this.cloud.types[type] ?? {};
    const before = this.store.get(id, type);
    if (before === undefined) {
      throw new Error(`404-NotAuthorizedOrNotFound, there is no ${id}`);
    }
    const known = outputs?.(inputs, id, before) ?? {};
    const response = new messages.UpdateResponse();
    if (!request.getPreview()) {
      const asked = { subject: type, id, name: nameOf(request.getUrn()), inputs, timeout: request.getTimeout() };
      this.store.record({ event: "update", ...asked });
      this.requireAll(type, inputs);
      this.requireWilling(asked.name);
      await sleep(delays?.update ?? 0);
      const after = { ...before, inputs, outputs: known };
      await changed?.(before, after);
      this.store.put(after);
      this.store.record({ event: "updated", ...asked });
    }
    response.setProperties(struct({ ...given, ...known }));
    return response;
  }

  private async delete(request: messages.DeleteRequest): Promise<Empty> {
    const type = typeOf(request.getUrn());
    const id = request.getId();
    const { delays, leaving } = this.cloud.types[type] ?? {};
    const resource = this.store.get(id, type);
    const asked = { subject: type, id, name: nameOf(request.getUrn()), timeout: request.getTimeout() };
    this.store.record({ event: "delete", ...asked });
    if (resource === undefined) {
      return new Empty();
    }
    this.requireWilling(asked.name);
    const users = this.store.users([id, ...(this.cloud.alsoKnownAs?.(resource) ?? [])], resource);
    if (users.length > 0) {
      throw new Error(`409-Conflict, ${id} is in use by ${users.map((user) => user.id).join(", ")}`);
    }
    await leaving?.(resource);
    await sleep(delays?.delete ?? 0);
    this.store.remove(id, type);
    this.store.record({ event: "deleted", ...asked });
    return new Empty();
  }

  private invoke(request: messages.InvokeRequest): messages.InvokeResponse {
    const token = request.getTok();
    const inputs = plain(properties(request.getArgs())) as Properties;
    this.store.record({ event: "invoke", subject: token, inputs });
    this.requireAll(token, inputs);
    const call = this.cloud.functions[token];
    if (call === undefined) {
      throw new Error(`the cloud of these tests has no function ${token}`);
    }
    const response = new messages.InvokeResponse();
    response.setReturn(struct(call(inputs)));
    return response;
  }

  private factsOf(type: string): ArgumentFacts {
    const facts = this.cloud.facts[type];
    if (facts === undefined) {
      throw new Error(`nothing is known of ${type}: see what makes test/fixtures/upstream/*-replacement.json`);
    }
    return facts;
  }

  private requireWilling(name: string): void {
    const refusal = this.store.refusalOf(name);
    if (refusal !== undefined) {
      throw new Error(refusal);
    }
  }

  /** Every id of this cloud's in arguments must be of something that exists, and is ready to be used. */
  private requireAll(type: string, inputs: Properties): void {
    for (const id of idsIn(inputs).filter(this.cloud.isOwnId)) {
      const found = this.store
        .all()
        .find((each) => each.id === id || this.cloud.alsoKnownAs?.(each).includes(id) === true);
      if (found === undefined) {
        throw new Error(`404-NotAuthorizedOrNotFound, there is no ${id}`);
      }
      if (!found.ready) {
        throw new Error(`409-IncorrectState, ${id} is being made`);
      }
    }
    this.cloud.examine?.(type, inputs);
  }
}
