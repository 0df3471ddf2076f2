/** Command line of `npm run smoke`. */
import { parseArgs } from "node:util";
import { readTextFile } from "../../stacks/config/text-file";
import { checkedArguments } from "../checked-arguments";
import { lineOf } from "../io";
import type { Place } from "./http";

export const SMOKE_USAGE = `Usage: npm run smoke -- --url URL [options], or: npm run smoke -- <environment> [options]

Checks a platform from outside as its users would, in seven steps: health, pull, latency, concurrent requests,
asynchronous inference, unload, stop worker. Works with the model control API, with Ollama alone, and, as far as steps
apply, with any OpenAI endpoint, server group or inference node.

With the name of an environment: waits until its models are ready, then checks each chat model. Address and cluster come from the
outputs of its Pulumi stack, keys and certificate from the cluster.

  --url URL             where requests go: a gateway, an Ollama, a vLLM, with or without /v1; a server group or node, without /infer
  --control-url URL     the model control API; without it, or when it is away, Ollama is asked directly
  --model NAME          the model to try, as the control API or Ollama names it (default: the first that --url serves; of an
                        environment: all chat models)
  --served-model NAME   its name in requests to --url, where that differs
  --token-file FILE     bearer token of the control API; must allow "operate"
  --api-key-file FILE   API key of --url
  --ca FILE             certificates in PEM that both addresses may be signed by, besides the public ones
  --concurrency N       requests at once in step 4 (default 5)
  --prompt TEXT         what is asked (default "Count from one to ten.")
  --max-tokens N        longest answer to ask for (default 32)
  --timeout S           seconds that a step may take, and a pull may stall (default 300)
  --keep-loaded         do not try step 6: the model is unloaded, then loaded again if it was before
  --stop-worker         try step 7: stops the model's worker, then starts it again; its users are cut off meanwhile
  --insecure-registry   Ollama asked directly may pull over plain HTTP, from a registry on your own network
  --config FILE         of an environment: read this file instead of Pulumi.<environment>.yaml
  --wait MINUTES        of an environment: how long to wait for models that still start (default: what its plan allows)
  --json                machine-readable
  --help                this text

Exit status: 0 every step that applies passed, or a model is still starting, which is reported; 1 one failed; 2 bad input.
`;

export interface SmokeArguments {
  /** Without a trailing slash or `/v1`. */
  readonly url: string;
  readonly controlUrl?: string;
  readonly model?: string;
  readonly servedModel?: string;
  readonly token?: string;
  readonly apiKey?: string;
  /** PEM. */
  readonly ca?: string;
  /** Overrides the name resolution of `url`. @default by its name */
  readonly connectTo?: Place;
  readonly concurrency: number;
  readonly prompt: string;
  readonly maxTokens: number;
  readonly timeoutSeconds: number;
  readonly keepLoaded: boolean;
  readonly stopWorker: boolean;
  readonly insecureRegistry: boolean;
  readonly json: boolean;
}

/** Options of a check with addresses and keys from a stack. */
export interface StackSmokeArguments extends Omit<SmokeArguments, "url"> {
  /** Of the environment and its stack. */
  readonly environment: string;
  /** In place of `Pulumi.<environment>.yaml`. */
  readonly config: string | undefined;
  /** @default by the plan */
  readonly waitMinutes?: number;
}

export const SMOKE_OPTIONS = {
  url: { type: "string" },
  "control-url": { type: "string" },
  model: { type: "string" },
  "served-model": { type: "string" },
  "token-file": { type: "string" },
  "api-key-file": { type: "string" },
  ca: { type: "string" },
  concurrency: { type: "string" },
  prompt: { type: "string" },
  "max-tokens": { type: "string" },
  timeout: { type: "string" },
  "keep-loaded": { type: "boolean" },
  "stop-worker": { type: "boolean" },
  "insecure-registry": { type: "boolean" },
  config: { type: "string" },
  wait: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** More would be a load test, where typing mistakes hurt. */
const LARGEST = { concurrency: 100, "max-tokens": 4096, timeout: 86_400, wait: 1440 } as const;

/** By address. */
const BY_ADDRESS = ["control-url", "served-model", "token-file", "stop-worker"] as const;
/** By stack. */
const BY_ENVIRONMENT = ["config", "wait"] as const;

/** Arguments, "help", or all problems. Reads named files. */
export function readSmokeArguments(
  argv: string[],
): SmokeArguments | StackSmokeArguments | "help" | { readonly problems: readonly string[] } {
  const parse = () => parseArgs({ args: argv, options: SMOKE_OPTIONS, allowPositionals: true });
  return checkedArguments(
    parse,
    ({ values, positionals }, { problems, checked }): SmokeArguments | StackSmokeArguments => {
      const count = (name: keyof typeof LARGEST): number | undefined => checked(() => countOf(name, values[name]));
      const wholeNumber = (name: keyof typeof LARGEST, otherwise: number): number => count(name) ?? otherwise;
      const name = (option: "model" | "served-model"): string | undefined =>
        checked(() => nameOf(option, values[option]));
      const [environment, ...more] = values.url === undefined ? positionals : [undefined, ...positionals];
      if (more.length > 0) {
        problems.push(`unexpected ${JSON.stringify(more[0])}: name one environment, or an address by --url`);
      }
      if (environment === undefined && values.url === undefined) {
        problems.push("--url is missing: the address that requests go to; or name an environment");
      }
      const ofTheOther = (environment === undefined ? BY_ENVIRONMENT : BY_ADDRESS).filter(
        (option) => values[option] !== undefined,
      );
      if (ofTheOther.length > 0) {
        const instead =
          environment === undefined ? "name an environment, without --url" : "give --url, without an environment";
        problems.push(`${ofTheOther.map((option) => `--${option}`).join(", ")}: ${instead}`);
      }
      const url = checked(() => serverAddress("url", values.url)) ?? "";
      const waitMinutes = count("wait");
      const shared: Omit<SmokeArguments, "url"> = {
        controlUrl: checked(() => serverAddress("control-url", values["control-url"])),
        model: name("model"),
        servedModel: name("served-model"),
        token: checked(() => secretIn("token-file", values["token-file"])),
        apiKey: checked(() => secretIn("api-key-file", values["api-key-file"])),
        ca: checked(() => certificatesIn(values.ca)),
        concurrency: wholeNumber("concurrency", 5),
        prompt: values.prompt ?? "Count from one to ten.",
        maxTokens: wholeNumber("max-tokens", 32),
        timeoutSeconds: wholeNumber("timeout", 300),
        keepLoaded: values["keep-loaded"] ?? false,
        stopWorker: values["stop-worker"] ?? false,
        insecureRegistry: values["insecure-registry"] ?? false,
        json: values.json ?? false,
      };
      if (values["token-file"] !== undefined && values["control-url"] === undefined) {
        problems.push("--token-file is for the control API: give --control-url too");
      }
      if (values["stop-worker"] && values["control-url"] === undefined) {
        problems.push("--stop-worker needs the control API, which alone can stop a worker: give --control-url too");
      }
      return environment === undefined
        ? { ...shared, url }
        : { ...shared, environment, config: values.config, waitMinutes };
    },
  );
}

/** Base of paths. @throws Error with allowed values. */
export function serverAddress(option: string, text: string | undefined): string | undefined {
  if (text === undefined) {
    return undefined;
  }
  const allowed = `--${option} must be an http:// or https:// address such as https://inference.example.com`;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new Error(`${allowed}, is "${text}"`);
  }
  if (!["http:", "https:"].includes(url.protocol)) {
    throw new Error(`${allowed}, is "${text}"`);
  }
  // Passwords in URLs end up in shell histories and this command's report.
  if (url.username || url.password) {
    throw new Error(`--${option} must not hold a user or password: give a file by --token-file or --api-key-file`);
  }
  if (url.search || url.hash) {
    throw new Error(`--${option} must end with its path, is "${text}"`);
  }
  return url.href.replace(/\/+$/, "").replace(/\/v1$/, "");
}

function countOf(option: keyof typeof LARGEST, text: string | undefined): number | undefined {
  if (text === undefined) {
    return undefined;
  }
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= LARGEST[option]) {
    return value;
  }
  throw new Error(`--${option} must be a whole number from 1 to ${LARGEST[option]}, is "${text}"`);
}

function nameOf(option: string, text: string | undefined): string | undefined {
  if (text === undefined || /^[\w][\w.:/@-]*$/.test(text)) {
    return text;
  }
  throw new Error(`--${option} must be a name such as llama3.2:3b, is "${text}"`);
}

/** One word in a file. @throws Error that names the option. */
export function secretIn(option: string, path: string | undefined): string | undefined {
  if (path === undefined) {
    return undefined;
  }
  const text = read(option, path).trim();
  // Other characters are invalid in headers, and no secret.
  if (/^[\x21-\x7e]+$/.test(text)) {
    return text;
  }
  throw new Error(
    `--${option}: ${path} must hold one word on one line, ${text === "" ? "is empty" : "holds other text"}`,
  );
}

/** Text of `--ca`. @throws Error for an unreadable file or one without certificates. */
export function certificatesIn(path: string | undefined): string | undefined {
  if (path === undefined) {
    return undefined;
  }
  const text = read("ca", path);
  if (text.includes("-----BEGIN CERTIFICATE-----")) {
    return text;
  }
  throw new Error(`--ca: ${path} holds no certificate in PEM form ("-----BEGIN CERTIFICATE-----")`);
}

function read(option: string, path: string): string {
  try {
    return readTextFile(path);
  } catch (error) {
    throw new Error(`--${option}: ${path} cannot be read: it ${lineOf(error)}`);
  }
}
