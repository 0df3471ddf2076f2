import { z } from "zod";
import { type EngineName, engineNames, engineOf, settingsOf, versionForm } from "../../../../engines";
import { RETIRED } from "../../../../engines/retired";
import type { ModelTask } from "../../../../engines/served-model";
import {
  COMMIT,
  sourceForms,
  sourceFormsOf,
  sourcePattern,
  sourcePatternOf,
  storedKinds,
} from "../../../../engines/sources";
import { AFFINITIES } from "../../../../planner/affinity";
import { externalModelSchema, servedNameField } from "./external-models";
import { dnsLabel, text, variableName, wholeNumber } from "./fields";
import { ownImageField } from "./own-image";
import { replicasSchema } from "./replicas";
import { scalingSchema } from "./scaling";
import { serviceLevelSchema } from "./service-level";
import { taggedUnion } from "./tagged-union";
import { trafficSchema } from "./traffic";
import { userPodField } from "./user-pod";

const TASKS = ["chat", "completion", "embedding", "rerank"] as const satisfies readonly ModelTask[];

const plainNumber = z.number().meta({ description: "A number.", unit: "the engine's own" });

const argumentValue = z.union([
  z.boolean(),
  plainNumber,
  z.string().max(16_384),
  z.array(z.unknown()),
  z.record(z.string(), z.unknown()),
]);

export const SOURCE_ALLOWED = `${sourceForms}; names and prefixes of letters, digits, dots, underscores and dashes, no part of which is "." or ".."`;

/** Besides its own; the gateway has room for 63 with adapters. */
const MOST_ALIASES = 16;

/** Identifies the model. */
const origin = {
  model: text(256).optional().meta({
    description:
      "Model by its catalogue name, by the Hugging Face repository of a catalogue entry, or any other repository as hf://org/name[@commit], whose description npm run pin keeps (docs/own-weights.md). Either model or config.",
    example: "llama-3.2-3b-instruct",
  }),
  config: text(2048).optional().meta({
    description:
      "A model outside the catalogue: its Hugging Face config.json as path, file://, https:// or s3:// URL. Needs source.",
    example: "models/my-model/config.json",
  }),
  source: z.string().max(2048).regex(sourcePattern).optional().meta({
    description:
      "Where the weights come from (docs/own-weights.md): s3:// names a prefix of the environment's own model store, pvc:// a folder on a volume claim in the model's namespace, file:// a folder of the node, on machines of your own. Default: the catalogue entry's own, by engine.",
    allowed: SOURCE_ALLOWED,
    example: "hf://Qwen/Qwen2.5-7B-Instruct",
  }),
};

const adapterSource = z
  .string()
  .max(2048)
  .regex(sourcePatternOf(storedKinds))
  .meta({
    description: "Where it comes from.",
    allowed: `${sourceFormsOf(storedKinds)}; names and prefixes of letters, digits, dots, underscores and dashes`,
    example: "hf://org/contracts-lora@1f0c2c1",
  });

const adapterSchema = z
  .union([
    adapterSource,
    z.strictObject({
      source: adapterSource,
      rank: wholeNumber(1, 4096).optional().meta({
        description: "Its `r`; with `rank_pattern`, the largest there. Default: read when it is copied into the store.",
        unit: "rank",
        example: 16,
      }),
    }),
  ])
  .transform((value): { source: string; rank?: number | undefined } =>
    typeof value === "string" ? { source: value } : value,
  )
  .meta({
    allowed: `${sourceFormsOf(storedKinds)}, or a mapping of source and rank, its \`r\``,
    example: "hf://org/contracts-lora@1f0c2c1",
  });

/** Common to all engines. */
const common = {
  servedName: servedNameField,
  aliases: z
    .array(text(256))
    .min(1)
    .max(MOST_ALIASES)
    .optional()
    .meta({
      description:
        "Further names that clients may put in the `model` field of a request, in addition to servedName: of clients that cannot be changed. Only of engines that serve a model under several names.",
      allowed: `a list of at most ${MOST_ALIASES} names, each on one line`,
      example: ["gpt-4o-mini"],
    }),
  task: z
    .enum(TASKS)
    .optional()
    .meta({ description: "What the model does. Default: as in the catalogue, else chat.", example: "chat" }),
  firstRevision: z.string().regex(COMMIT).optional().meta({
    description:
      "Commit stored in the model's default folder; other commits go to sibling folders. Default: each new commit takes the place of the last.",
    allowed: "the full hash of a commit: 40 hexadecimal digits",
    example: "bb46c15ee4bb56c5b63245ef50fd7637234d6f75",
  }),
  domain: dnsLabel()
    .optional()
    .meta({ description: "Subject the model serves, for labels and bucket prefixes.", example: "legal" }),
  contextTokens: wholeNumber(1, 16_777_216)
    .default(8192)
    .meta({ description: "Longest prompt and answer together.", unit: "tokens", example: 8192 }),
  concurrency: wholeNumber(1, 4096).default(16).meta({
    description:
      "Requests of full length that one replica answers at once. With traffic and without this: as many as its traffic needs.",
    unit: "requests",
    example: 16,
  }),
  replicas: replicasSchema,
  traffic: trafficSchema,
  scaling: scalingSchema,
  pod: userPodField,
  affinity: z.enum(AFFINITIES).optional().meta({
    description: "What keeps a session at one of its replicas. Default: gateway.affinity.",
    example: "header",
  }),
  serviceLevel: serviceLevelSchema,
  pools: z
    .array(dnsLabel(40))
    .min(1)
    .optional()
    .meta({ description: "Pools that may run it. Default: every pool with a fitting role.", example: ["gpu"] }),
  quantization: text(32).optional().meta({
    description:
      "Weight format: a build of the engine's registry, or what the engine makes of a 16-bit checkpoint when it loads it. The checkpoint's own needs no word.",
    example: "fp8",
  }),
  adapters: z
    .record(dnsLabel(40), adapterSchema)
    .optional()
    .meta({
      description:
        "LoRA adapters that answer next to the model, each under its own name in the `model` field. Only of engines that take adapters.",
      allowed: "adapters by name: each a source, or source and rank",
      example: { contracts: "hf://org/contracts-lora@1f0c2c1" },
    }),
  args: z
    .record(
      z.string().max(64),
      argumentValue.meta({ allowed: "true, false, a number, text, a list or a mapping", example: true }),
    )
    .optional()
    .meta({
      description:
        "Further flags of the engine, by name without dashes: true and false switch a flag, lists and mappings are for flags that take several values or JSON. Checked against the flags of the pinned version; what the plan decides has keys of its own. Only of engines that take flags.",
      allowed: "a mapping of flags to values, not a list of words",
      example: { "enable-prompt-tokens-details": true, "max-num-batched-tokens": 4096 },
    }),
  env: z
    .record(
      variableName,
      z.union([z.boolean(), plainNumber, text(4096)]).meta({ allowed: "text, a number, true or false", example: "1" }),
    )
    .optional()
    .meta({
      description:
        "Further environment variables of the engine. Never secrets. Checked against the variables of the pinned version.",
      example: { VLLM_LOG_STATS_INTERVAL: 30 },
    }),
};

function engineVersionOf(
  engine: EngineName,
  description = "Version of the engine. Default: the one that the platform pins.",
) {
  const { pattern, allowed, example } = versionForm(engine);
  return z.string().max(32).regex(pattern).optional().meta({ description, allowed, example });
}

/** Inherits from the model. */
function canaryOf(engine: EngineName) {
  return z
    .strictObject({
      weight: wholeNumber(0, 100).default(0).meta({
        description: "Share of the model's requests that it answers; the model answers the others.",
        unit: "percent of requests",
        example: 20,
      }),
      source: origin.source.meta({
        description: "Its weights: another commit, another repository or another build. Default: the model's.",
        allowed: SOURCE_ALLOWED,
        example: "hf://Qwen/Qwen2.5-7B-Instruct@bb46c15ee4bb56c5b63245ef50fd7637234d6f75",
      }),
      quantization: text(32)
        .optional()
        .meta({ description: "Its weight format. Default: the model's.", example: "fp8" }),
      engineVersion: engineVersionOf(engine, "Its version of the engine. Default: the model's."),
      image: ownImageField.meta({
        description: "Its image of the engine, one that you built. Default: the model's.",
        example: "registry.example.com/ml/vllm-ours:v0.33.0-3",
      }),
      replicas: replicasSchema,
    })
    .optional()
    .meta({
      description:
        "A second revision of the model, planned, paid and served as a model of its own named <name>-canary. Clients call both by the model's name (docs/canary.md).",
      example: { engineVersion: versionForm(engine).example, weight: 0 },
    });
}

/** Its own block's keys are known only here: readers use `../engine-block.ts`. */
type Member = z.ZodObject<
  typeof origin &
    typeof common & {
      readonly engineVersion: ReturnType<typeof engineVersionOf>;
      readonly image: typeof ownImageField;
      readonly canary: ReturnType<typeof canaryOf>;
      readonly engine: z.ZodDefault<z.ZodLiteral<EngineName>>;
    },
  z.core.$strict
>;

/** Common keys, and the engine's block, if any. */
function memberOf(engine: EngineName, isDefault: boolean): Member {
  const { label, summary } = engineOf(engine);
  const { schema } = settingsOf(engine);
  const tag = z.literal(engine).meta({ example: engine });
  const block = schema.prefault({}).meta({ description: `What only ${label} knows.` });
  const member = z.strictObject({
    ...origin,
    engine: isDefault ? tag.default(engine) : tag,
    engineVersion: engineVersionOf(engine),
    image: ownImageField,
    ...common,
    canary: canaryOf(engine),
    ...(Object.keys(schema.shape).length > 0 && { [engine]: block }),
  });
  return member.meta({
    description: summary,
    oneOf: [{ required: ["model"] }, { required: ["config", "source"] }],
  }) as unknown as Member;
}

const [byDefault, ...others] = engineNames;

export const placedModelSchema = taggedUnion("engine", [
  memberOf(byDefault, true),
  ...others.map((engine) => memberOf(engine, false)),
]);

const retired = Object.fromEntries(
  Object.entries(RETIRED).map(([name, { label, why, instead }]) => [
    name,
    `${instead}: ${label} is not served, ${why}`,
  ]),
);

export const modelSchema = taggedUnion("engine", [...placedModelSchema.options, externalModelSchema], retired).meta({
  description: "One model that clients can call.",
  example: { model: "llama-3.2-3b-instruct" },
});

/** Used in names of namespaces, Services and pods. */
export const MODEL_NAME_LENGTH = 40;

export const modelsSection = z.record(dnsLabel(MODEL_NAME_LENGTH), modelSchema).meta({
  description: "Models by name. The name becomes the namespace model-<name> and the route.",
  example: { chat: { model: "llama-3.2-3b-instruct" } },
});
