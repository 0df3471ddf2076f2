import * as grpc from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import * as engine from "@pulumi/pulumi/proto/engine_pb";
import { InvokeResponse } from "@pulumi/pulumi/proto/provider_pb";
import { ResourceMonitorService } from "@pulumi/pulumi/proto/resource_grpc_pb";
import * as resource from "@pulumi/pulumi/proto/resource_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { ProviderAnswers } from "../../../offline/answers";
import { beforeCreation, holdsUnknown, UNKNOWN } from "../../../offline/first-preview";
import { answer, properties, struct } from "../engine/providers/cloud/engine-messages";
import type { Properties } from "../engine/providers/secrets";
import { unwrapped } from "./properties";

/** What becomes of a resource instead of being made. `unknown`: the run leaves it out, and it is not there yet. */
export type Outcome = "fail" | "skip" | "unknown";

export interface PlayedEngineOptions {
  readonly project: string;
  readonly stack: string;
  readonly answers: ProviderAnswers;
  /** What becomes of a resource, by type. What depends on it is left out too. @default it is made */
  readonly outcome?: (type: string) => Outcome | undefined;
  /** Answer as in the preview of a stack that does not exist yet. @default false */
  readonly firstPreview?: boolean;
}

/** A resource as the program declared it. */
export interface Declared {
  readonly urn: string;
  readonly type: string;
  readonly custom: boolean;
  /** Inputs without the wrapping of secrets; `UNKNOWN` where the program did not know them. */
  readonly inputs: Properties;
  /** What a policy pack is told at the end: nothing, `{}`, of what a provider that cannot be configured yet would make. */
  readonly outputs: Properties;
  readonly dependencies: readonly string[];
  readonly protect: boolean;
}

const ROOT_TYPE = "pulumi:pulumi:Stack";
/** What the program asks of the stack's own state, which is empty here; the engine answers by itself (stacks/gitops/keeps-platform.ts). */
const STATE = "pulumi:pulumi:readStackOutputs";
const UNLIMITED = { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 };

/**
 * As much of Pulumi's engine as a program meets, over the SDK's own protocol: no state, no providers, no cloud. It answers as an engine
 * that goes on after errors (`--continue-on-error`).
 */
export class PlayedEngine {
  readonly declared: Declared[] = [];
  /** Errors that the program told the user of. */
  readonly errors: string[] = [];
  /** Types and functions that the program left to the default provider of their package. */
  readonly byDefaultProvider = new Set<string>();
  /** The program said that it had declared everything: a real engine deletes the rest. */
  isComplete = false;
  /** The outputs of the stack, once there are any. */
  outputs: Properties | undefined;
  private readonly server = new grpc.Server(UNLIMITED);
  private readonly outcomes = new Map<string, Outcome>();
  /** URNs of components that were not registered, because something that they depend on has failed. */
  private readonly leftOut = new Set<string>();
  /** URNs of providers whose configuration holds what the run does not know. */
  private readonly unconfigured = new Set<string>();
  private root = "";

  constructor(private readonly options: PlayedEngineOptions) {
    this.server.addService(ResourceMonitorService, {
      supportsFeature: answer(() => filled(new resource.SupportsFeatureResponse(), (it) => it.setHassupport(true))),
      registerResource: answer((request: resource.RegisterResourceRequest) => this.register(request)),
      registerResourceOutputs: answer((request: resource.RegisterResourceOutputsRequest) => {
        if (this.leftOut.has(request.getUrn())) {
          // A real one stops everything then (3.259, deploy/step_executor.go).
          this.errors.push(`${request.getUrn()} was completed, and had been left out`);
        }
        if (request.getUrn() === this.root) {
          this.outputs = properties(request.getOutputs());
        }
        return new Empty();
      }),
      invoke: answer((request: resource.ResourceInvokeRequest) => {
        if (request.getTok() === STATE) {
          return filled(new InvokeResponse(), (it) => it.setReturn(struct({ outputs: {} })));
        }
        this.noteProvider(request.getTok(), request.getProvider());
        const result = options.answers.call(request.getTok(), unwrapped(properties(request.getArgs())));
        return filled(new InvokeResponse(), (it) => it.setReturn(struct(result)));
      }),
      registerErrorHook: answer(() => new Empty()),
      signalAndWaitForShutdown: answer(() => {
        this.isComplete = true;
        return new Empty();
      }),
    });
    this.server.addService(EngineService, {
      log: answer((request: engine.LogRequest) => {
        if (request.getSeverity() === engine.LogSeverity.ERROR) {
          this.errors.push(request.getMessage());
        }
        return new Empty();
      }),
      getRootResource: answer(() => filled(new engine.GetRootResourceResponse(), (it) => it.setUrn(this.root))),
      setRootResource: answer((request: engine.SetRootResourceRequest) => {
        this.root = request.getUrn();
        return new engine.SetRootResourceResponse();
      }),
    });
  }

  /** @returns its address. */
  start(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(`127.0.0.1:${port}`),
      );
    });
  }

  stop(): void {
    this.server.forceShutdown();
  }

  private register(request: resource.RegisterResourceRequest): resource.RegisterResourceResponse {
    const [type, name, custom] = [request.getType(), request.getName(), request.getCustom()];
    const inputs = unwrapped(properties(request.getObject())) as Properties;
    const urn = this.urnOf(type, name, request.getParent());
    if (custom && !type.startsWith("pulumi:")) {
      this.noteProvider(type, request.getProvider());
    }
    if (type === ROOT_TYPE) {
      this.root = urn;
    }
    const response = filled(new resource.RegisterResourceResponse(), (it) => it.setUrn(urn));
    const outcome = this.outcomeOf(type, request);
    if (outcome !== undefined) {
      this.outcomes.set(urn, outcome);
      if (!custom && outcome === "skip") {
        this.leftOut.add(urn);
      }
      response.setResult(RESULTS[outcome]);
    } else if (custom && this.options.firstPreview) {
      this.preview(request, urn, inputs, response);
    } else if (custom) {
      response.setId(this.options.answers.id(type, name));
      response.setObject(struct({ ...inputs, ...this.options.answers.state(type, name, inputs) }));
    }
    const outputs = properties(response.getObject());
    const [dependencies, protect] = [request.getDependenciesList(), request.getProtect() ?? false];
    this.declared.push({ urn, type, custom, inputs, outputs, dependencies, protect });
    return response;
  }

  private noteProvider(token: string, provider: string): void {
    if (provider === "") {
      this.byDefaultProvider.add(token);
    }
  }

  /** A provider that cannot be configured yet says nothing of its resources (engine 3.259, resource/plugin/provider_plugin.go). */
  private preview(
    request: resource.RegisterResourceRequest,
    urn: string,
    inputs: Properties,
    response: resource.RegisterResourceResponse,
  ): void {
    const [type, name] = [request.getType(), request.getName()];
    if (type.startsWith("pulumi:providers:")) {
      response.setId(UNKNOWN);
      response.setObject(struct(inputs));
      if (holdsUnknown(inputs)) {
        this.unconfigured.add(urn);
      }
    } else if (!this.unconfigured.has(providerOf(request))) {
      response.setObject(struct(beforeCreation(inputs, this.options.answers.state(type, name, inputs))));
    }
  }

  private outcomeOf(type: string, request: resource.RegisterResourceRequest): Outcome | undefined {
    const own = this.options.outcome?.(type);
    if (own !== undefined) {
      return own;
    }
    const before = [...request.getDependenciesList(), request.getParent(), providerOf(request)];
    const met = before.map((urn) => this.outcomes.get(urn)).find((outcome) => outcome !== undefined);
    return met === "fail" ? "skip" : met;
  }

  private urnOf(type: string, name: string, parent: string): string {
    const above = parent === "" || parent === this.root ? "" : `${parent.split("::")[2]}$`;
    return `urn:pulumi:${this.options.stack}::${this.options.project}::${above}${type}::${name}`;
  }
}

/** An engine that leaves a resource out says that all went well, with no id and no outputs (3.259, deploy/step.go). */
const RESULTS: Readonly<Record<Outcome, resource.Result>> = {
  fail: resource.Result.FAIL,
  skip: resource.Result.SKIP,
  unknown: resource.Result.SUCCESS,
};

/** URN of the provider in its reference, `<urn>::<id>`. */
function providerOf(request: resource.RegisterResourceRequest): string {
  return request.getProvider().split("::").slice(0, -1).join("::");
}

function filled<T>(message: T, fill: (message: T) => void): T {
  fill(message);
  return message;
}
