/** Help of `npm run model`. Engine texts come from their descriptors. */
import { type EngineName, engineNames, engineOf, engineVersion } from "../../engines";
import { wrap } from "../../report/style";
import { LEVEL_WORDS, TRAFFIC_WORDS } from "./load-options";
import { enginesOn, enginesTaking, spellingsOf } from "./options";

const WIDTH = 118;

/** Start column of option texts. */
const INDENT = " ".repeat(23);

const [usual, ...others] = engineNames;
const labels = (names: readonly EngineName[]) => names.map((name) => engineOf(name).label).join(", ");
const versioned = enginesTaking("engine-version");
const layered = engineNames.filter((name) => !enginesTaking("tp").includes(name));

/** Engine-specific parts of an option: `, with Ollama …`. */
function withEngines(names: readonly EngineName[], text: string): string {
  return names.length === 0 ? "" : `; with ${labels(names)} ${text}`;
}

function option(name: string, text: string): string {
  const [first = "", ...rest] = wrap(text, WIDTH, INDENT);
  return [`  ${name}`.padEnd(INDENT.length) + first.trimStart(), ...rest].join("\n");
}

const engineOption = option("--engine E", [`${usual} (default)`, ...others].join(" or "));
const hostOption = option(
  "--host-memory-gib N",
  `${labels(enginesOn("cpu"))} on CPUs with this memory instead of a GPU`,
);
const ppOption = option(
  "--pp N",
  `pipeline parallelism (default 1)${withEngines(layered, "the GPUs that layers are spread over")}`,
);
const utilizationOption = option(
  "--utilization F",
  `${spellingsOf("utilization")
    .map((name) => `--${name}`)
    .join(", ")} of ${labels(enginesTaking("utilization"))} (default: that of the version)`,
);
const words = (of: Readonly<Record<string, string>>) => Object.keys(of).join(", ");
const trafficOption = option(
  "--traffic rps=R,…",
  `instead: what each machine costs that answers these requests, the cheapest first, and why the next lost. Words: ${words(TRAFFIC_WORDS)}, as of models.<name>.traffic, whose names are taken too`,
);
const levelOption = option(
  "--level tpot=T,…",
  `the service level that it keeps: ${words(LEVEL_WORDS)}, as of models.<name>.serviceLevel`,
);
const formats = engineNames.flatMap((name) => {
  const { label, defaultQuantization } = engineOf(name);
  return defaultQuantization === undefined ? [] : [`; with ${label} ${defaultQuantization}`];
});
const quantizationOption = option(
  "--quantization Q",
  `weight format instead of the checkpoint's own, e.g. fp8, awq${formats.join("")}`,
);
const versionOption = option(
  "--engine-version V",
  `default ${versioned.map((name) => `${engineVersion(name)} of ${engineOf(name).label}`).join(", ")}; ${spellingsOf(
    "engine-version",
  )
    .map((name) => `--${name}`)
    .join(", ")} says the same`,
);
const flags = engineNames.flatMap((name) => {
  const { label, memoryFlags = [] } = engineOf(name);
  const list = memoryFlags.map((flag) => `--${flag}`).join(", ");
  const text = `Flags of ${label} that change memory, as on its own command line: ${list}.`;
  return memoryFlags.length === 0 ? [] : [...wrap(text, WIDTH, ""), ""];
});

export const modelUsage = `Usage: npm run model -- <catalogue name | Hugging Face repository of one | path to config.json or its folder |
                             hf://organization/name[@revision] | s3://bucket/folder | https://host/folder> [options]

Explains one model: parameters, weights, KV cache, what fits on a GPU and why, and what would fit it. Without a card it
compares the cards of the catalogue; without a model, --card or --shape lists which of the catalogue's fit there, and
without anything all are listed. Where safetensors files lie next to config.json, their headers are read: they give exact
weights of any family. Only an address makes it ask a server, for
descriptions and headers, never for weights; HF_ENDPOINT, HF_TOKEN and the AWS_ variables count as for other commands.

  --card C             the card: its name (rtx-4090), or words of it (H200, "A100 80GB"); gives its memory, kernels and
                       scheduler defaults. --gpu and --gpu-model are the same
  --gpus N             as many of this card in one machine; lays the model out over them as the plan would
${engineOption}
  --shape S            a cloud machine (npm run list -- shapes): its GPUs, and the five-step sizing rule next to the figures;
                       lays the model out as the plan would unless --tp or --pp is given
  --gpu-memory-gib N   memory of one GPU as CUDA reports it; nvidia-smi shows 0.4 to 0.5
                       GiB more (default: of the card)
${hostOption}
  --tp N               tensor parallelism (default 1)
${ppOption}
${utilizationOption}
  --context N          tokens of one request: 32768, 32K (default: the model's limit, at most 8192)
  --concurrency N      requests of that length at once (default 1)
${trafficOption}
${levelOption}
  --kv-dtype D         auto, bfloat16 or fp8 (default auto)
${quantizationOption}
${versionOption}
  --json               machine-readable
  -h, --help           this text

${flags.join("\n")}
Exit status: 0 it fits, or no machine was named; 1 it does not fit or does not start, or no machine answers the traffic; 2 bad input.
`;
