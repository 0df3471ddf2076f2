/** Command line of `npm run measure`: all mistakes at once. */
import { parseArgs } from "node:util";
import { findGpus } from "../../catalog/find-gpu";
import { type EngineName, engineNames } from "../../engines";
import { suggest } from "../../stacks/config/core/problems";
import { checkedArguments } from "../checked-arguments";
import { certificatesIn, serverAddress } from "../smoke/arguments";
import { type MeasuredTraffic, readTraffic, USUAL_TRAFFIC } from "./traffic";

export const DEFAULT_MINUTES = 3;

/** The second load without an expected concurrency. */
export const DEFAULT_CONCURRENCY = 8;

export const MEASURE_USAGE = `Usage: npm run measure -- [environment] --url URL [options]
       npm run measure -- [environment] --import FILE [options]

Measures how fast a model is served, and writes a file that plans count with: calibration/<card>-<engine>-<version>-<model>.json.
Three loads (one request at a time, those that are expected, four times as many) in four rounds, with prompts of its own; the
time and the number of tokens are said before it begins. Ctrl-C ends it and keeps what was measured (docs/measure.md).

  environment          plan whose model is measured: it says card, layout, engine and concurrency
  --url URL            an OpenAI API: the engine itself rather than a gateway, with or without /v1
  --model NAME         the model as the environment names it; without one as the server does (default: the only one)
  --concurrency N      requests at once of the second load (default: of the environment; else ${DEFAULT_CONCURRENCY})
  --traffic T          tokens of a request, in=1000,out=300,prefix=0 (default in=${USUAL_TRAFFIC.inputTokens},out=${USUAL_TRAFFIC.outputTokens},prefix=${USUAL_TRAFFIC.sharedPrefixTokens}; prefix: what all begin with)
  --minutes N          longest time for the loads (default ${DEFAULT_MINUTES}); a first trial takes up to five more where the model must load
  --import FILE        take results of vllm bench serve, GuideLLM or AIPerf instead of measuring; may be given several times
  --out FILE           write there instead; - for standard output
  --api-key-env NAME   variable of the environment that holds the API key
  --ca FILE            certificates in PEM that the server may be signed by, besides the public ones
  --config FILE        read this file instead of Pulumi.<environment>.yaml
  --json               the result on standard output too, machine-readable
  -h, --help           this text

What was measured, where no environment or server says it:
  --card NAME          the card (npm run list -- cards); for CPUs a name of the machine
  --engine NAME        ${engineNames.join(", ")}
  --engine-version V
  --weights SOURCE     where the weights come from, as a plan says it: org/name on Hugging Face, a tag of Ollama
  --quantization Q     format of the weights, where it is not the checkpoint's own
  --tp N, --pp N       tensor and pipeline parallelism (default 1)

Exit status: 0 all loads were measured, 1 some were not or the server did not answer, 2 bad input.
`;

export const MEASURE_OPTIONS = {
  url: { type: "string" },
  model: { type: "string" },
  concurrency: { type: "string" },
  traffic: { type: "string" },
  minutes: { type: "string" },
  import: { type: "string", multiple: true },
  out: { type: "string" },
  "api-key-env": { type: "string" },
  ca: { type: "string" },
  config: { type: "string" },
  card: { type: "string" },
  engine: { type: "string" },
  "engine-version": { type: "string" },
  weights: { type: "string" },
  quantization: { type: "string" },
  tp: { type: "string" },
  pp: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** From the command line. */
export interface StatedSubject {
  readonly card?: string;
  readonly engine?: EngineName;
  readonly engineVersion?: string;
  readonly weights?: string;
  readonly quantization?: string;
  readonly tensorParallel?: number;
  readonly pipelineParallel?: number;
}

export interface MeasureArguments {
  readonly environment?: string;
  readonly config?: string;
  /** A server, or imported results. */
  readonly from:
    | { readonly url: string; readonly apiKey?: string; readonly ca?: string }
    | { readonly imports: readonly string[] };
  readonly model?: string;
  readonly concurrency?: number;
  readonly traffic: MeasuredTraffic;
  readonly minutes: number;
  readonly out?: string;
  readonly stated: StatedSubject;
  readonly json: boolean;
}

const LARGEST = { concurrency: 1000, minutes: 120, tp: 64, pp: 64 } as const;

/** Arguments, "help", or all problems. Reads named files. */
export function readMeasureArguments(
  argv: string[],
  env: NodeJS.ProcessEnv,
): MeasureArguments | "help" | { readonly problems: readonly string[] } {
  const parse = () => parseArgs({ args: argv, options: MEASURE_OPTIONS, allowPositionals: true });
  return checkedArguments(parse, ({ values, positionals }, { problems, checked }): MeasureArguments => {
    const whole = (option: keyof typeof LARGEST): number | undefined =>
      checked(() => wholeNumber(option, values[option]));
    const { url, import: imports = [] } = values;
    if (positionals.length > 1) {
      problems.push(`name one environment, not ${positionals.length}: ${positionals.join(", ")}`);
    }
    if ((url === undefined) === (imports.length === 0)) {
      problems.push(
        url === undefined
          ? "--url is missing: the address of the engine; or --import with the file of a result"
          : "--url measures and --import takes what was measured: give one of them",
      );
    }
    const address = checked(() => serverAddress("url", url));
    const apiKey = checked(() => keyIn(values["api-key-env"], env));
    const ca = checked(() => certificatesIn(values.ca));
    return {
      ...(positionals[0] !== undefined && { environment: positionals[0] }),
      ...(values.config !== undefined && { config: values.config }),
      from:
        imports.length > 0
          ? { imports }
          : { url: address ?? "", ...(apiKey !== undefined && { apiKey }), ...(ca !== undefined && { ca }) },
      ...(values.model !== undefined && { model: values.model }),
      concurrency: whole("concurrency"),
      traffic:
        checked(() => (values.traffic === undefined ? USUAL_TRAFFIC : readTraffic(values.traffic))) ?? USUAL_TRAFFIC,
      minutes: whole("minutes") ?? DEFAULT_MINUTES,
      ...(values.out !== undefined && { out: values.out }),
      stated: {
        card: checked(() => cardNamed(values.card)),
        engine: checked(() => engineOf(values.engine)),
        engineVersion: values["engine-version"],
        weights: values.weights?.replace(/^(hf|ollama):\/\//, ""),
        quantization: values.quantization,
        tensorParallel: whole("tp"),
        pipelineParallel: whole("pp"),
      },
      json: values.json ?? false,
    };
  });
}

function wholeNumber(option: keyof typeof LARGEST, text: string | undefined): number | undefined {
  if (text === undefined) {
    return undefined;
  }
  if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= LARGEST[option]) {
    return Number(text);
  }
  throw new Error(`--${option} must be a whole number from 1 to ${LARGEST[option]}, is "${text}"`);
}

/** By plans' name, with which they find the file; unknown cards as written. */
function cardNamed(text: string | undefined): string | undefined {
  const [only, ...others] = text === undefined ? [] : findGpus(text);
  if (others.length > 0) {
    const models = [only, ...others].map((gpu) => gpu?.model);
    throw new Error(`--card "${text}" may be ${models.join(" or ")}: write one of them whole`);
  }
  return only?.model ?? text;
}

function engineOf(text: string | undefined): EngineName | undefined {
  const found = engineNames.find((name) => name === text?.toLowerCase());
  if (text !== undefined && found === undefined) {
    throw new Error(`--engine is "${text}"; ${suggest(text, engineNames, `one of ${engineNames.join(", ")}`)}`);
  }
  return found;
}

/** Messages never contain the key. */
function keyIn(name: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  if (name === undefined) {
    return undefined;
  }
  const key = env[name];
  if (key === undefined || key === "") {
    throw new Error(`--api-key-env: the variable ${name} is not set`);
  }
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new Error(`--api-key-env: the variable ${name} holds more than one word, so it is no key`);
  }
  return key;
}
