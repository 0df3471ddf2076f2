import { z } from "zod";
import { engineNames } from "../../engines";
import { AUTOSCALERS, SCALING_SIGNALS } from "../../planner/scaling";
import { taggedUnion } from "../../stacks/config/core/sections/tagged-union";
import {
  amount,
  count,
  counts,
  flag,
  gib,
  memoryPerGpu,
  named,
  oneOf,
  taints,
  text,
  texts,
  usd,
  verdict,
} from "./fields";
import { availability, serviceLevel, traffic } from "./level";
import { source, storedSources } from "./source";
import { speed, tokenPrice } from "./speed";

const ownImage = z
  .strictObject({
    reference: text("registry/repository:tag@digest."),
    platforms: texts("Platforms that its owner states.").optional(),
    cuda: count("major version", "CUDA that it brings.").optional(),
    rocm: text("Release of ROCm that it brings.").optional(),
  })
  .meta({ description: "The user's own image of the engine; absent with the catalogue's." });

/** What a model is, placed or not. */
export const identity = {
  name: text("Key under `models` of the environment."),
  servedName: text("What clients put in the `model` field of a request."),
  engine: oneOf(engineNames, "What runs it."),
  engineVersion: text("Version of the engine."),
  task: oneOf(["chat", "completion", "embedding", "rerank"], "What it is for."),
  revisionOf: z
    .strictObject({
      model: text("The model that it is a second revision of, by its `name`."),
      weight: amount("percent of requests", "Its share of that model's requests."),
    })
    .optional()
    .meta({ description: "Only of canaries: the model answers the rest of its requests itself." }),
  source,
  format: text("Weight format as people call it: `BF16`, `Q4_K_M`."),
  contextTokens: count("tokens", "Longest prompt and answer together."),
  concurrency: count("requests", "Requests of that length that one replica answers at once."),
};

/** How a model is spread over GPUs and nodes. */
export const layout = {
  pool: text("Name of the pool."),
  shape: text("Machine of that pool."),
  gpusPerNode: count("GPUs", "Claimed on each node of a replica; 0 on CPUs."),
  tensorParallel: count("GPUs", "GPUs that share each layer."),
  pipelineParallel: count("stages", "Groups of layers one after another."),
  nodesPerReplica: count("nodes", "Nodes of one replica."),
};

const resources = z
  .strictObject({
    cpu: amount("cores", "CPU."),
    memoryGiB: gib("Memory."),
    ephemeralStorageGiB: gib("Ephemeral storage."),
    sharedMemoryGiB: gib("Memory-backed /dev/shm; 0 for none."),
    optionMemoryGiB: gib(
      "Of memoryGiB, what options under args and env take; absent where they take nothing.",
    ).optional(),
    gpus: count("GPUs", "GPUs."),
    gpuResource: z
      .union([
        z.enum(["nvidia.com/gpu", "amd.com/gpu", "nvidia.com/gpu.shared"]),
        z.templateLiteral(["nvidia.com/mig-", z.string()]),
      ])
      .meta({ description: "Name of the GPU resource, of slices too; absent on CPUs." })
      .optional(),
    extended: counts("devices", "Extended resources in addition to GPUs, such as RDMA devices.").optional(),
  })
  .meta({ description: "What one pod asks for." });

const sizing = z
  .strictObject({
    parametersB: amount("10^9 parameters", "Parameters that the rule starts from."),
    bits: amount("bits", "Of each parameter."),
    shapeGpuMemoryGB: amount("GB", "GPU memory of one node."),
    ruleMemoryGB: amount("GB", "What the rule asks for."),
    ruleNodes: count("nodes", "Nodes by the rule."),
    exactNodes: count("nodes", "Nodes by the plan."),
    difference: text("Why the two differ."),
    steps: z
      .array(
        z.strictObject({
          step: z.literal([1, 2, 3, 4, 5]).meta({ description: "Number of the step." }),
          text: text("What it does."),
          value: amount("in `unit`", "Its result."),
          unit: oneOf(["billion parameters", "bits", "GB", "nodes"], "Unit of the result."),
        }),
      )
      .meta({ description: "The rule, step by step." }),
  })
  .meta({ description: "Comparison with the five-step rule (docs/sizing.md); absent without GPUs." });

const capacityTable = z
  .strictObject({
    classB: amount("10^9 parameters", "Size class of the row, at 4 bits each."),
    tableGpuMemoryGB: amount("GB", "GPU memory by the table."),
    tableGpus: count("GPUs", "GPUs by the table."),
    exactGpuMemoryGB: amount("GB", "What one replica takes on all of its GPUs."),
    exactGpus: count("GPUs", "GPUs of one replica."),
    tokensPerSecond: z
      .strictObject({ from: amount("tokens/s", "Lower end."), to: amount("tokens/s", "Upper end.") })
      .optional()
      .meta({ description: "The table's range for one request: a rule of thumb, not a measurement." }),
    batchingBenefit: text("What the table says of batching."),
    difference: text("Where the exact figure differs from the table, and why."),
  })
  .meta({
    description:
      "Comparison with the published capacity table (docs/sizing.md); absent without GPUs and above its largest class.",
  });

const argument = z.union([
  z.boolean(),
  z.number(),
  z.string(),
  z.array(z.unknown()),
  z.record(z.string(), z.unknown()),
]);

const scaling = z
  .strictObject({
    by: oneOf(AUTOSCALERS, "KEDA, or a HorizontalPodAutoscaler on an adapter of the cluster."),
    min: count("replicas", "Replicas that always run; 0: it scales to zero without requests."),
    max: count("replicas", "Replicas that run at most."),
    signals: z
      .array(
        z.strictObject({
          on: oneOf(SCALING_SIGNALS, "What replicas follow."),
          target: amount("the signal's own", "What it is kept at."),
          at: oneOf(
            ["gateway"],
            "Counted there, with the requests that are being answered; absent where it is the engine's own count.",
          ).optional(),
        }),
      )
      .meta({ description: "Each signal: the one that asks for most replicas counts." }),
    atOnce: count(
      "requests",
      "Requests that run in a replica when it is as busy as its service level allows: above that another one comes; only with traffic.",
    ).optional(),
    pollSeconds: amount("seconds", "Between two looks of the autoscaler."),
    scaleDownWindowSeconds: amount("seconds", "In which the largest demand counts before replicas go."),
    fallbackReplicas: count("replicas", "Replicas that run at least while the signals cannot be read."),
    schedule: z
      .array(
        z.strictObject({
          from: text("Its begin, as cron."),
          to: text("Its end, as cron."),
          timezone: text("Time zone of both."),
          replicas: count("replicas", "Replicas that run at least in between."),
        }),
      )
      .meta({ description: "Times in which more replicas run." }),
    spareReplicas: count("replicas", "Replicas for which a node is kept ready beyond those that run."),
    idleSeconds: amount("seconds", "Without requests before the last replica goes; only where min is 0.").optional(),
    coldStartSeconds: amount("seconds", "From a request that wakes it to its first answer."),
    spikeToServed: z
      .strictObject({
        scrape: amount("seconds", "Until Prometheus has seen it."),
        poll: amount("seconds", "Until the autoscaler has asked."),
        node: amount("seconds", "Until there is a node."),
        load: amount("seconds", "Until the new replica answers."),
        total: amount("seconds", "Their sum."),
      })
      .meta({ description: "From a spike of demand until a further replica answers." }),
  })
  .meta({ description: "How its replicas follow demand; absent where nothing scales it." });

/** One model that has a place. */
export const model = z.strictObject({
  ...identity,
  ...layout,
  aliases: texts("What they may put there besides; absent: nothing else.").optional(),
  image: ownImage.optional(),
  domain: text("Subject that it serves.").optional(),
  storeFolder: text("Its folder in the model store, where that is not `<domain>/<name>`.").optional(),
  loading: oneOf(["copy", "cache", "stream", "mount"], "How the engine gets the weights at start."),
  gpuVendor: oneOf(["nvidia", "amd"], "Vendor of the GPUs; absent on CPUs.").optional(),
  gpuModel: text("Card of the catalogue; absent on CPUs.").optional(),
  hsaOverride: text(
    "HSA_OVERRIDE_GFX_VERSION of its pods, by the catalogue: no image has code for the card itself. What the environment says of the variable counts before it.",
  ).optional(),
  gpuSlice: z
    .strictObject({
      kind: oneOf(["mig", "time-slices"], "How its card is parted."),
      profile: text("MIG profile.").optional(),
      perGpu: count("slices", "Slices of each card."),
      cards: count("cards", "Cards of the machine."),
    })
    .meta({ description: "What each of its GPUs is, where it is no whole card." })
    .optional(),
  cpuArch: oneOf(["amd64", "arm64"], "Processor architecture."),
  nodeLink: z
    .strictObject({
      transport: oneOf(["tcp", "roce", "efa"], "What the nodes of a replica talk over: Ethernet, or RDMA."),
      gbps: amount("Gbit/s", "Its speed, where that is known.").optional(),
      hostNetwork: flag("Pods are on the network of their nodes, outside of NetworkPolicies."),
      topologyLabel: text(
        "Label of nodes whose value all nodes of a replica share, and no other replica of the model; absent where any nodes of the pool do.",
      ).optional(),
      networks: texts("NetworkAttachmentDefinitions of each pod, one for each of its RDMA interfaces."),
      environment: named("Variables of NCCL or RCCL."),
    })
    .optional()
    .meta({ description: "Only where a replica spans nodes." }),
  minReplicas: count("replicas", "Replicas that always run."),
  maxReplicas: count("replicas", "Replicas that pool and quota keep room for."),
  scaling: scaling.optional(),
  serviceLevel: serviceLevel.optional(),
  availability: availability.optional(),
  traffic: traffic.optional(),
  group: text("Server group that its replicas are nodes of.").optional(),
  sidecars: z
    .strictObject({
      cpu: amount("CPUs", "CPUs."),
      memoryGiB: gib("Memory."),
      ephemeralStorageGiB: gib("Disk."),
    })
    .optional()
    .meta({ description: "Sum of the platform's sidecars in each pod: part of `resources`." }),
  pod: z
    .strictObject({
      volumes: texts("Volumes of the engine."),
      initContainers: texts("Containers before it."),
      sidecars: texts("Sidecars, part of `sidecars`."),
    })
    .optional()
    .meta({ description: "Names of what the user adds to its pods." }),
  serverOf: text(
    "Model on whose server it is, where it joins one: pods, GPUs and `resources` are reported there.",
  ).optional(),
  server: z
    .strictObject({
      models: texts("Names of all its models; first the one whose pods they are in."),
      memoryPerGpu,
      mostGiB: gib("The largest need of all of them together."),
      storageGiB: gib("Volume of each replica for all of them."),
    })
    .optional()
    .meta({ description: "All models of its server together, where others join it." }),
  takesImages: flag("Prompts may hold images."),
  keepsStates: flag("Some layers keep a state for each request in place of a cache that grows."),
  gpuMemoryUtilization: amount(
    "fraction",
    "Of the GPU's memory that the engine may use; of the whole card's, where vLLM takes turns on it.",
  ),
  kvCacheDtype: oneOf(["auto", "bfloat16", "fp8"], "Number format of the KV cache; auto: the model's own."),
  quantization: text("Weight format that the environment or the catalogue asks for.").optional(),
  loadAs: z
    .strictObject({
      quantization: text("Made when the weights are loaded.").optional(),
      dtype: oneOf(["bfloat16", "float16", "float32"], "Other than the checkpoint's.").optional(),
      flag: text("Without it the release refuses the checkpoint's format.").optional(),
    })
    .optional()
    .meta({ description: "Settings of the engine for the weights, in addition to those in the checkpoint." }),
  maxNumSeqs: count("requests", "Requests that the engine batches, where the environment says.").optional(),
  args: z
    .record(z.string(), argument)
    .optional()
    .meta({ description: "Further flags of the engine, by name without dashes." }),
  env: named("Further variables of the engine.").optional(),
  prefixCaches: z
    .strictObject({
      parts: count("parts", "One for each consumer, or group of consumers that share."),
      shared: z.array(z.array(text("A consumer."))).meta({ description: "Consumers that share a part." }),
    })
    .optional()
    .meta({ description: "Where consumers' prompts are kept apart in the engine's prefix cache." }),
  namedImages: flag(
    "Keys that clients give to images are left out of requests, though prompts are not kept apart.",
  ).optional(),
  nameLimits: z
    .record(z.string(), z.array(text("A name that clients write.")))
    .optional()
    .meta({ description: "Consumers that may call it by some of its names alone, with these names." }),
  chatTemplate: text("File of the chat template, where the environment names one.").optional(),
  adapters: z
    .strictObject({
      list: z
        .array(
          z.strictObject({
            name: text("What clients put in the `model` field for it."),
            source: taggedUnion("kind", storedSources).meta({ description: "Where it comes from." }),
            rank: count("rank", "Its rank, where the environment says.").optional(),
          }),
        )
        .meta({ description: "Each adapter." }),
      slots: count("adapters", "Adapters that the GPUs hold at once."),
      maxRank: count("rank", "Largest rank that there is room for."),
      gpuGiB: gib("Room for adapters on each GPU, a part of its weights."),
      fileGB: amount("GB", "What the files of one adapter can have at most."),
      storageGiB: gib("Volume for all of them, per pod and in the model store."),
    })
    .optional()
    .meta({ description: "LoRA adapters that answer next to the model." }),
  engineSettings: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: "What only its engine reads of its own block in the environment." }),
  memoryPerGpu,
  verdict,
  kvTokens: count("tokens", "KV cache that the engine will report for one replica."),
  totalParametersB: amount("10^9 parameters", "Parameters, all experts counted."),
  weightsGB: amount("GB", "Files to download."),
  modelStorageGiB: gib("Volume for the model per pod."),
  startupBudgetSeconds: amount("seconds", "Until a new replica must be ready."),
  drainSeconds: amount("seconds", "In which a replica that leaves finishes the requests that run there."),
  resources,
  nodeSelector: named("Labels that its pods select nodes by."),
  tolerations: taints("Taints that its pods tolerate."),
  hourlyUsd: usd("Its share of its pool for an hour."),
  monthlyUsd: usd("Its share of its pool for a month."),
  speed: speed.optional(),
  noSpeed: text("Why there is no `speed`.").optional(),
  tokenPrice: tokenPrice.optional(),
  sizing: sizing.optional(),
  capacityTable: capacityTable.optional(),
  notes: texts("Remarks: basis of the estimate, what it assumes."),
});

/** A model that found no place. */
export const unplaced = z.strictObject({
  ...identity,
  rule: text("The rule that keeps it out, as `violations[].policy`."),
  nearest: z
    .strictObject({ ...layout, memoryPerGpu, verdict })
    .optional()
    .meta({ description: "The pool and layout that lack least; absent where no layout obeys the engine's rules." }),
});

/** Nodes of one model behind one address. */
export const serverGroup = z.strictObject({
  name: text("Name of the group; the gateway has it at `/<name>`."),
  model: text("Model that all of its nodes serve."),
  registrar: z
    .strictObject({
      url: text("Base URL of its API."),
      renewSeconds: count("seconds", "Time between two renewals of a node."),
      secretKey: text("Name of the secret with the key that nodes send; absent where they send none.").optional(),
      networks: texts("Networks that the URL's name resolves to, where the environment says.").optional(),
      caFile: text("File of the authorities that its certificate may be signed by, where one is named.").optional(),
    })
    .optional()
    .meta({ description: "Where its nodes register, renew and leave." }),
});

/** An external model. */
export const externalModel = z.strictObject({
  name: identity.name,
  servedName: identity.servedName,
  task: identity.task,
  url: text("Base URL of its API."),
  modelThere: text("Name of the model there."),
  healthPath: text("Path on which the gateway asks whether the server answers."),
  secretKey: text("Name of the secret with the key that the gateway sends; absent where it sends none.").optional(),
  networks: texts("Networks that the URL's name resolves to, where the environment says.").optional(),
  caFile: text(
    "File of the authorities that its certificate may be signed by; absent: those that the gateway's image trusts.",
  ).optional(),
});
