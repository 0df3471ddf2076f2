import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { credentials } from "@grpc/grpc-js";
import { AnalyzerClient } from "@pulumi/pulumi/proto/analyzer_grpc_pb";
import {
  AnalyzeRequest,
  type AnalyzeResponse,
  type AnalyzerInfo,
  AnalyzerProviderResource,
  AnalyzerResource,
  AnalyzerResourceOptions,
  AnalyzeStackRequest,
} from "@pulumi/pulumi/proto/analyzer_pb";
import { unknownValue } from "@pulumi/pulumi/runtime/rpc";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { RecordedInputs } from "../../policies/evaluate";
import { UNKNOWN } from "./cases";

const START_TIMEOUT_MS = 60_000;

type Properties = Readonly<Record<string, unknown>>;

export interface Verdicts {
  /** `policy | urn | message`, sorted. */
  readonly violations: string[];
  /** `policy | reason`, sorted. */
  readonly undecided: string[];
}

/** A policy pack in its own process, loaded as Pulumi's language host loads it, asked as the engine asks it. */
export class PackServer {
  private constructor(
    private readonly process: ChildProcess,
    private readonly client: AnalyzerClient,
  ) {}

  static async start(folder: string): Promise<PackServer> {
    const runner = createRequire(import.meta.url).resolve("@pulumi/pulumi/cmd/run-policy-pack");
    // No engine listens there: a pack calls it only to log an error.
    const child = spawn(process.execPath, [runner, "127.0.0.1:1", folder], {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const port = await new Promise<string>((resolve, reject) => {
      let output = "";
      const timer = setTimeout(() => reject(new Error(`the pack printed no port: ${output}`)), START_TIMEOUT_MS);
      const collect = (chunk: Buffer) => {
        output += chunk.toString();
        const line = /^(\d+)\n/m.exec(output);
        if (line?.[1]) {
          clearTimeout(timer);
          resolve(line[1]);
        }
      };
      child.stdout.on("data", collect);
      child.stderr.on("data", collect);
      child.once("exit", (code) => reject(new Error(`the pack ended with ${code}: ${output}`)));
    });
    return new PackServer(child, new AnalyzerClient(`127.0.0.1:${port}`, credentials.createInsecure()));
  }

  stop(): void {
    this.client.close();
    this.process.kill();
  }

  info(): Promise<AnalyzerInfo> {
    return new Promise((resolve, reject) => {
      this.client.getAnalyzerInfo(new Empty(), (error, info) => (error ? reject(error) : resolve(info)));
    });
  }

  /**
   * What an engine does in a preview: every resource by itself, then the stack.
   *
   * @param outputsOf what a resource has in the end. @default its inputs
   * @param inputsOf what it is to have. @default its inputs
   */
  async judge(
    resources: readonly RecordedInputs[],
    outputsOf: (resource: RecordedInputs) => Properties = withId,
    inputsOf: (resource: RecordedInputs) => Properties = withId,
  ): Promise<Verdicts> {
    const requests = resources.map((resource) => {
      const request = new AnalyzeRequest();
      describe(request, resource, inputsOf(resource));
      return new Promise<{ urn: string; response: AnalyzeResponse }>((resolve, reject) => {
        this.client.analyze(request, (error, response) =>
          error ? reject(error) : resolve({ urn: resource.urn, response }),
        );
      });
    });
    const alone = await Promise.all(requests);
    const stack = new AnalyzeStackRequest();
    stack.setResourcesList(
      resources.map((resource) => {
        const message = new AnalyzerResource();
        describe(message, resource, outputsOf(resource));
        return message;
      }),
    );
    const whole = new Promise<{ urn: string; response: AnalyzeResponse }>((resolve, reject) => {
      this.client.analyzeStack(stack, (error, response) => (error ? reject(error) : resolve({ urn: "", response })));
    });
    const answers = [...alone, await whole];
    return {
      violations: answers
        .flatMap(({ urn, response }) =>
          response.getDiagnosticsList().map((diagnostic) => {
            // The SDK puts the policy's description on a line of its own before the message.
            const message = diagnostic.getMessage().replace(`${diagnostic.getDescription()}\n`, "");
            return `${diagnostic.getPolicyname()} | ${diagnostic.getUrn() || urn} | ${message}`;
          }),
        )
        .sort(),
      undecided: answers
        .flatMap(({ response }) =>
          response.getNotApplicableList().map((item) => `${item.getPolicyName()} | ${item.getReason()}`),
        )
        .sort(),
    };
  }
}

function withId({ name, inputs }: RecordedInputs): Properties {
  return { id: `${name}-id`, ...inputs };
}

function describe(
  message: AnalyzeRequest | AnalyzerResource,
  { type, name, urn, custom, options }: RecordedInputs,
  properties: Properties,
): void {
  const resourceOptions = new AnalyzerResourceOptions();
  resourceOptions.setProtect(options.protect);
  message.setType(type);
  message.setName(name);
  message.setUrn(urn);
  message.setOptions(resourceOptions);
  message.setProperties(structOf(properties));
  if (custom) {
    const provider = new AnalyzerProviderResource();
    provider.setProperties(structOf({}));
    message.setProvider(provider);
  }
}

function structOf(properties: Properties): Struct {
  return Struct.fromJavaScript(onTheWire(properties) as Parameters<typeof Struct.fromJavaScript>[0]);
}

/** As the engine sends properties: no absent ones, and unknown values as their sentinel. */
function onTheWire(value: unknown): unknown {
  if (value === UNKNOWN) {
    return unknownValue;
  }
  if (Array.isArray(value)) {
    return value.map(onTheWire);
  }
  if (value === null || typeof value !== "object") {
    return value;
  }
  const present = Object.entries(value).filter(([, property]) => property !== undefined);
  return Object.fromEntries(present.map(([key, property]) => [key, onTheWire(property)]));
}
