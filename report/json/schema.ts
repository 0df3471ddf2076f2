/** The shape of `plan --json`: keys that others rely on. docs/plan-json.md is made from it. */
import { z } from "zod";
import { SERVICE_KINDS } from "../../planner/types";
import { RECEIVER_KINDS } from "../../stacks/alert-facts";
import { count, flag, gib, oneOf, text, texts, usd } from "./fields";
import { externalModel, model, serverGroup, unplaced } from "./models";
import { pool } from "./pools";

/** Raised when a key is removed or changes name, type, unit or meaning. Not for additions. */
export const SCHEMA_VERSION = 1;

const fixValue = z.union([z.string(), z.number(), z.literal(true), z.array(z.string()), z.null()]);

const violation = z.strictObject({
  policy: text("Rule of the planner, or policy."),
  severity: oneOf(["mandatory", "advisory"], "mandatory forbids the deployment, advisory deserves a look."),
  resource: text("URN of a resource, or path in the environment: `models.chat`."),
  message: text("What is wrong, what is allowed and how to fix it. May have several lines."),
  fixes: z
    .array(
      z.strictObject({
        path: text("The setting: `models.chat.concurrency`."),
        from: fixValue.meta({ description: "What it is." }),
        to: fixValue.meta({ description: "What to make it; null: remove it." }),
        monthlyUsd: usd("What the whole environment then costs a month."),
      }),
    )
    .optional()
    .meta({ description: "Single changes that remove a refusal, cheapest first." }),
});

const resource = z.strictObject({
  urn: text("Its URN."),
  type: text("Its type token."),
  parent: text("URN of its parent; absent for the stack itself.").optional(),
});

const tenant = z.strictObject({
  name: text("Name of the consumer."),
  models: texts("Models that it may call; absent: all.").optional(),
  names: z
    .record(z.string(), z.array(text("A name that clients write.")))
    .optional()
    .meta({ description: "Of models that it may call by some of their names alone, those names." }),
  requestsPerMinute: count("requests", "In a minute, of all its clients; absent: no limit.").optional(),
  tokensPerMinute: count("tokens", "Of prompts and answers in a minute; absent: no limit.").optional(),
  secretKey: text("Name of the secret with its API key; absent: one is made.").optional(),
  priority: oneOf(["paid", "free"], "free is refused first when a model has more than it can do."),
});

const money = {
  hourlyUsd: usd("What always runs, for an hour."),
  monthlyUsd: usd("The same for a month, with what schedules start."),
  maxMonthlyUsd: usd("With every pool at its maxNodes."),
};

export const planSchema = z.strictObject({
  schemaVersion: z.literal(SCHEMA_VERSION).meta({ description: "Version of this shape." }),
  environment: text("Name of the environment."),
  stage: oneOf(["production", "development"], "As the environment says."),
  cluster: z
    .strictObject({
      kind: oneOf(["local", "oci", "aws", "edge"], "As the environment says."),
      provision: oneOf(
        ["create", "stack", "existing"],
        "create: this stack makes the cluster; stack: another one did; existing: it is not managed here.",
      ),
      endpoint: oneOf(["private", "public"], "Of the Kubernetes API, where this stack makes the cluster.").optional(),
      region: text("Where this stack makes the cluster.").optional(),
      machine: text("Address of the machine of your own that this stack makes the cluster of.").optional(),
      tool: text("What makes it on the computer that it is deployed from: k3d or kind.").optional(),
      nodes: z
        .array(
          z.strictObject({
            pool: text("Name of the pool."),
            group: count("nodes", "In a managed node group: they always run."),
            karpenter: count("nodes", "The most that Karpenter makes, while pods ask for them."),
          }),
        )
        .optional()
        .meta({ description: "Who makes the nodes of an EKS cluster that is made here or by another stack." }),
    })
    .meta({ description: "Where the cluster comes from." }),
  pools: z.array(pool).meta({ description: "Node pools." }),
  models: z.array(model).meta({ description: "Models that have a place." }),
  externalModels: z.array(externalModel).meta({ description: "Models behind URLs of others: published, not planned." }),
  groups: z.array(serverGroup).meta({ description: "Server groups, by name." }),
  mesh: oneOf(
    ["ambient", "sidecar"],
    "How pods join the service mesh, whose pods take room of nodes; absent: there is none.",
  ).optional(),
  tenants: z.array(tenant).meta({ description: "Who calls models; no plan holds their keys." }),
  storage: z
    .strictObject({
      models: texts("Models that go through the bucket."),
      bucket: text("Name of the bucket."),
      backend: oneOf(
        ["bucket", "none"],
        "What takes the place of the store in the cluster: a bucket of storage.buckets, or nothing; absent: MinIO in the cluster.",
      ).optional(),
      sizeGiB: gib("Volume of the store in the cluster; 0 without one."),
      bucketGiB: gib("What the models take in a bucket elsewhere; absent: the store is not there.").optional(),
      nodeCacheGiB: gib("Cache of weights on each node with such a model; absent: pods copy.").optional(),
    })
    .meta({ description: "Model store." }),
  cost: z
    .strictObject({
      ...money,
      monthlyBudgetUsd: usd("Limit of monthlyUsd, where there is one.").optional(),
      notPriced: texts("What the bill has besides, and no figure here counts."),
      items: z
        .array(
          z.strictObject({
            name: text("What is paid for."),
            ...money,
            note: text(
              "What is free of charge or cheaper than the list price, and what stopping it by hand would save.",
            ).optional(),
          }),
        )
        .meta({ description: "The figures by pool." }),
      services: z
        .array(
          z.strictObject({
            kind: oneOf(
              SERVICE_KINDS,
              "node-disk: what nodes boot from; volume: what pods claim; endpoint: a private address of a service of the cloud's.",
            ),
            name: text("What it is for."),
            count: count("pieces", "How many of it; of nodes' disks, on the nodes that always run."),
            sizeGiB: gib("What is billed of each, for volumes.").optional(),
            ...money,
            note: text("Its price with source and date, and what is not counted."),
          }),
        )
        .meta({ description: "What the cloud bills in addition to machines, as far as it has a price here." }),
    })
    .meta({ description: "Cost of all that is priced: nodes that always run, and what is billed in addition." }),
  alerts: z
    .array(
      z.strictObject({
        receiver: oneOf(RECEIVER_KINDS, "Its kind; there is one of each at most."),
        severities: texts("Alerts that it receives; absent for the heartbeat, which gets Watchdog alone.").optional(),
        proxyUrl: text("URL of the proxy by which it is reached; absent where it is reached directly.").optional(),
      }),
    )
    .meta({
      description:
        "Receivers of alerts; none: they are visible in Grafana and Alertmanager only, or the Alertmanager that the cluster has sends them.",
    }),
  unplaced: z.array(unplaced).meta({ description: "Models without a place, and how near each came." }),
  deployable: flag("No violation is mandatory; exit status 0."),
  policies: z
    .strictObject({ passed: count("policies", "That hold."), failed: count("policies", "That do not.") })
    .meta({ description: "The policy pack's results." }),
  violations: z.array(violation).meta({ description: "What forbids the deployment, or deserves a look." }),
  resources: z.array(resource).meta({ description: "All resources that the program makes." }),
});
