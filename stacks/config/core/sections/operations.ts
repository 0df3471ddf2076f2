/** Small sections: stage, storage, budget, external prices. */
import { z } from "zod";
import { REGISTRY_HOST } from "../../../../engines/sources";
import type { Stage } from "../../../../planner/types";
import { labelKey, labelValue, text, wholeNumber } from "./fields";
import { outsideFields, outsideNetworks } from "./outside-fields";

const STAGES = ["production", "development"] as const satisfies readonly Stage[];

export const stageField = z.enum(STAGES).default("production").meta({
  description: "production protects stateful resources and runs redundant replicas; development may be thrown away.",
  example: "development",
});

export const scopeField = z.enum(["all", "cluster", "platform"]).default("all").meta({
  description:
    "What this stack makes: cluster = the cluster alone, platform = what goes on a cluster that another stack made or that exists, all = both.",
  example: "platform",
});

export const chartsField = z.enum(["cache", "repository"]).default("cache").meta({
  description:
    "Where `pulumi up` takes Helm charts from: cache = files that are fetched once and compared with charts.lock.json, repository = the charts' repositories, asked again by every preview.",
  example: "repository",
});

export const commonLabelsField = z
  .record(labelKey, labelValue)
  .default({})
  .meta({
    description:
      "Labels of every object that is deployed, and of the pods: for cost reports, owners, policies of the cluster. What charts make has their own.",
    example: { "example.com/team": "blue" },
  });

const bucketName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/)
  .meta({ allowed: 'lower-case letters, digits, "." and "-", 3 to 63 characters', example: "corp-models" });

const registryHost = z
  .string()
  .max(262)
  .regex(new RegExp(`^${REGISTRY_HOST}$`))
  .meta({ allowed: "the host of a registry, with its port where that is not 443", example: "registry.example.com" });

const caFile = (whose: string) =>
  text(2048)
    .optional()
    .meta({
      description: `Certificates of the authorities that the ${whose} certificate may be signed by: a PEM file, from the folder of the environment's file. Default: public authorities.`,
      example: "corp-ca.pem",
    });

const ownSecret = (holds: string, example: string) =>
  text(64).meta({
    description: `Name of the secret that holds ${holds}.`,
    allowed: "the name of a secret, with ApiKey at its end",
    example,
  });

const storeUser = (may: string) =>
  z
    .strictObject({
      accessKey: ownSecret("the user's access key id", "corpReaderIdApiKey"),
      secretKey: ownSecret("the secret access key", "corpReaderApiKey"),
    })
    .meta({
      description: `Keys of a user who may ${may}.`,
      example: { accessKey: "corpReaderIdApiKey", secretKey: "corpReaderApiKey" },
    });

export const storageSection = z
  .strictObject({
    backend: z
      .union([
        z.enum(["minio", "none"]),
        z.strictObject({
          bucket: bucketName.meta({
            description: "Name under storage.buckets, which has its url, region, networks and caFile.",
          }),
          reader: storeUser("list and read the bucket: pods of engines have its keys"),
          writer: storeUser(
            "also write and delete: Jobs that fill the store, and backups, have its keys. Default: the store is only read, and models are there as s3://bucket/prefix",
          ).optional(),
        }),
      ])
      .default("minio")
      .meta({
        description:
          "What the model store is: minio = a server in the cluster on a volume; {bucket} = a bucket of storage.buckets on Amazon S3, OCI, Google Cloud, Ceph, MinIO or the store of another cluster; none = no store, for models that are mounted or that engines fetch (docs/own-weights.md).",
        allowed: "minio, none, or a mapping with bucket, the name of one of storage.buckets, reader and writer",
        example: {
          bucket: "corp-models",
          reader: { accessKey: "corpReaderIdApiKey", secretKey: "corpReaderApiKey" },
          writer: { accessKey: "corpWriterIdApiKey", secretKey: "corpWriterApiKey" },
        },
      }),
    sizeGiB: wholeNumber(1, 1_048_576).optional().meta({
      description: "Volume of the model store in the cluster. Default: planned, at least 1.5 times the models.",
      unit: "GiB",
      example: 500,
    }),
    nodeCacheGiB: wholeNumber(10, 100_000).optional().meta({
      description:
        "Disk space for weights on each node that serves models of the store: pods share them, and restarts copy nothing. The model used least recently makes room, never one in use. For engines that copy models of the store. Default: each pod copies its model.",
      unit: "GiB",
      example: 500,
    }),
    bucket: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/)
      .default("models")
      .meta({
        description: "Bucket of the model store in the cluster.",
        allowed: 'lower-case letters, digits and "-", 3 to 63 characters',
        example: "models",
      }),
    buckets: z
      .record(
        bucketName,
        z.strictObject({
          ...outsideFields({
            description: "Endpoint of the S3 store that holds the bucket.",
            example: "https://s3.eu-central-1.amazonaws.com",
          }),
          caFile: caFile("endpoint's"),
          region: z
            .string()
            .regex(/^[a-z0-9-]{1,40}$/)
            .default("us-east-1")
            .meta({
              description: "Region that requests are signed for.",
              allowed: "lower-case letters, digits and dashes",
              example: "eu-central-1",
            }),
          secretKey: text(64).optional().meta({
            description:
              "Name of the secret that holds <access key id>:<secret access key> of a user who may list and read the bucket. Default: requests are not signed, as public buckets allow.",
            allowed: "the name of a secret, with ApiKey at its end",
            example: "corpModelsApiKey",
          }),
        }),
      )
      .default({})
      .meta({
        description:
          "Buckets elsewhere, by name, of which models take weights by source: s3://bucket/prefix: on Amazon S3, OCI, Google Cloud, Ceph, or the model store of another cluster. The Job of a model copies its prefix into the environment's own store, through storage.proxy unless the endpoint is in private networks; engines reach only the one that backend names (docs/own-weights.md).",
        allowed: "buckets by name: url, and networks, region, secretKey and caFile where they are needed",
        example: { "corp-models": { url: "https://s3.eu-central-1.amazonaws.com", region: "eu-central-1" } },
      }),
    registries: z
      .record(
        registryHost,
        z.strictObject({
          networks: outsideNetworks.meta({
            description:
              "Networks in CIDR form of the registry, of the server of its tokens, and of the store to which it redirects downloads: the model's Job reaches these alone, at the registry's port and 443. Default: any address that is not private.",
            example: ["192.168.1.20/32"],
          }),
          secretKey: text(64).optional().meta({
            description:
              "Name of the secret that holds a Docker config.json with a login that may pull. Default: anonymous.",
            allowed: "the name of a secret, with ApiKey at its end",
            example: "corpRegistryApiKey",
          }),
          caFile: caFile("registry's"),
        }),
      )
      .default({})
      .meta({
        description:
          "Registries of which models take weights by source: oci://registry/repository:tag, by host, where one needs a login, an own authority or private networks. The Job of a model copies its artifact into the environment's own store, over https://, through storage.proxy unless the registry is in private networks; engines never reach it (docs/own-weights.md). For images of containers see images.",
        allowed: "registries by host: networks, secretKey and caFile where they are needed",
        example: { "registry.example.com": { secretKey: "corpRegistryApiKey" } },
      }),
    imageVolumes: z.boolean().default(false).meta({
      description:
        "Pods mount images that models name as source: oci://… (the folder /models in them) as image volumes: kubelets pull them, and no Job copies them into the store. Needs Kubernetes 1.35, and containerd 2.1 or CRI-O 1.33 on the nodes. A login of the registry is the secret registryCredentials.",
      example: true,
    }),
    registryGbps: z.number().positive().max(1000).default(1).meta({
      description: "Speed of the internet link to Hugging Face and to registries of engines, for download times.",
      unit: "Gbit/s",
      example: 1,
    }),
    hub: z
      .strictObject(
        outsideFields({
          description: "Address of a server that speaks the API of the Hugging Face Hub.",
          example: "https://hub.example.com",
        }),
      )
      .optional()
      .meta({
        description: "Where Jobs of the store download models, in the place of huggingface.co: a mirror of your own.",
        example: { url: "https://hub.example.com", networks: ["10.20.0.7/32"] },
      }),
    proxy: z
      .strictObject(
        outsideFields({
          description: "Address of an HTTP proxy that tunnels https (CONNECT).",
          example: "http://proxy.example.com:3128",
          allowed: "an http:// or https:// URL",
        }),
      )
      .optional()
      .meta({
        description:
          "Proxy by which Jobs of the store, and pods of engines that fetch models themselves, reach the internet. With networks, these pods reach nothing else outside; without, NetworkPolicies allow its port at every public address, and no proxy in a private network. Production, and names of private networks (.internal, .local, .corp, .lan, .home.arpa), need networks. One that breaks TLS open is trusted by no Job.",
        example: { url: "http://proxy.example.com:3128", networks: ["10.20.0.8/32"] },
      }),
    registryNetworks: outsideNetworks.meta({
      description:
        "Networks of the registry from which engines fetch models themselves, and of the hosts that it redirects to: their pods reach no others outside. Needs such an engine, and no proxy. Default: the internet on port 443, without private networks.",
      example: ["203.0.113.0/24"],
    }),
    storeGbps: z.number().positive().max(1000).default(10).meta({
      description: "Speed between the model store and the engines, for start-up times.",
      unit: "Gbit/s",
      example: 10,
    }),
  })
  .prefault({})
  .meta({ description: "Model store and the links to it.", example: { registryGbps: 1 } });

export const budgetSection = z
  .strictObject({
    monthlyUsd: z.number().positive().max(1_000_000_000).meta({
      description:
        "A plan is refused whose nodes that always run cost more, including non-node costs: volumes, load balancer, and of a cluster made here its control plane and its nodes' disks. What more nodes up to maxNodes cost is shown, not limited; traffic is not counted.",
      unit: "USD per month",
      example: 5000,
    }),
  })
  .optional()
  .meta({ description: "What the environment may cost. Default: no limit.", example: { monthlyUsd: 5000 } });

/** Go's YAML parser, which `pulumi` uses, turns unquoted days into times. */
const DAY = /^\d{4}-\d{2}-\d{2}(T00:00:00Z)?$/;

const usdPerMillion = (what: string, example: number) =>
  z
    .number()
    .min(0)
    .max(10_000)
    .meta({ description: `For a million tokens of ${what}.`, unit: "USD", example });

export const apiPricesSection = z
  .record(
    z.string().min(1),
    z.record(
      z.string().min(1),
      z.strictObject({
        inputUsdPerMillion: usdPerMillion("prompts", 0.03),
        outputUsdPerMillion: usdPerMillion("answers", 0.05),
        asOf: z.string().regex(DAY).meta({
          description: "Day of the price: prices move within weeks.",
          allowed: 'a day as "2026-11-20"',
          example: "2026-11-20",
        }),
        offer: z.string().min(1).optional().meta({
          description: "What the provider calls the model. Default: as it is called here.",
          example: "meta-llama/Meta-Llama-3.1-8B-Instruct",
        }),
      }),
    ),
  )
  .default({})
  .meta({
    description:
      "What APIs of others ask for a model's tokens, by its name in models or the catalogue, then by provider: replaces the catalogue's price of that provider; other providers' stay. Plans show when self-hosting costs less.",
    example: {
      "llama-3.1-8b-instruct": {
        DeepInfra: { inputUsdPerMillion: 0.03, outputUsdPerMillion: 0.05, asOf: "2026-11-20" },
      },
    },
  });
