import { z } from "zod";
import { PLAN_CONFIG_MAP } from "../../names/plan-record";
import { type Field, snapshot, type Value } from "./field";
import type { Resource } from "./resource";

const taint = z.object({ key: z.string(), value: z.string().optional(), effect: z.string() });

const planSchema = z.object({
  stage: z.enum(["production", "development"]),
  pools: z.array(
    z.object({
      name: z.string(),
      role: z.string(),
      shape: z.string().optional(),
      /** Absent in records of older programs. */
      cpuArch: z.enum(["amd64", "arm64"]).optional(),
      labels: z.record(z.string(), z.string()).optional(),
      selector: z.record(z.string(), z.string()),
      taints: z.array(taint),
    }),
  ),
  models: z.array(
    z.object({
      name: z.string(),
      /** An own image; its platforms are what the user states. */
      image: z.object({ reference: z.string(), platforms: z.array(z.string()).optional() }).optional(),
      memoryPerGpu: z.object({ totalGiB: z.number(), limitGiB: z.number() }),
      verdict: z.object({ intervalGiB: z.object({ above: z.number().nonnegative() }), basis: z.string() }),
      maxReplicas: z.number().optional(),
      serviceLevel: z.object({ confidence: z.number().optional() }).optional(),
      /** Absent where unknown, and in records of older programs. */
      speed: z
        .object({
          headroom: z.number().optional(),
          neededReplicas: z.number().optional(),
          sure: z.boolean().optional(),
          basis: z.string(),
        })
        .optional(),
    }),
  ),
  cost: z.object({ monthlyUsd: z.number(), monthlyBudgetUsd: z.number().optional() }),
});

export type PlanFacts = Readonly<z.infer<typeof planSchema>>;

export type PlanReading =
  | { readonly state: "read"; readonly plan: PlanFacts; readonly resource: Resource; readonly field: Field }
  | { readonly state: "absent" }
  /** The ConfigMap exists or may exist; its content is known after deployment. */
  | { readonly state: "unknown" }
  | { readonly state: "invalid"; readonly reason: string; readonly resource: Resource; readonly field: Field };

/** `field` holds the parsed plan, so that messages can name places in it. */
export function readPlan(resources: readonly Resource[]): PlanReading {
  const resource = resources.find(isPlan);
  if (!resource) {
    return { state: resources.some(mayBePlan) ? "unknown" : "absent" };
  }
  const field = resource.props.get("data", PLAN_CONFIG_MAP.key);
  const text = field.text();
  if (text === undefined) {
    return field.is((value) => value === undefined)
      ? { state: "invalid", resource, field, reason: "is not set" }
      : { state: "unknown" };
  }
  if (last?.text !== text) {
    last = { text, content: contentOf(text) };
  }
  const { content } = last;
  return "reason" in content
    ? { state: "invalid", resource, field, reason: content.reason }
    : { state: "read", plan: content.plan, resource, field: field.containing(content.value) };
}

type PlanContent = { readonly plan: PlanFacts; readonly value: Value } | { readonly reason: string };

/** Cached, because every policy reads the same plan. */
let last: { readonly text: string; readonly content: PlanContent } | undefined;

function contentOf(text: string): PlanContent {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { reason: `is no JSON (${(error as Error).message})` };
  }
  const parsed = planSchema.safeParse(json);
  return parsed.success
    ? { plan: parsed.data, value: snapshot(json) }
    : { reason: `is no deployment plan: ${z.prettifyError(parsed.error)}` };
}

function isPlan({ kind, props }: Resource): boolean {
  return kind === "ConfigMap" && props.get("metadata", "name").value === PLAN_CONFIG_MAP.name;
}

function mayBePlan({ kind, props }: Resource): boolean {
  return kind === "ConfigMap" && !props.get("metadata", "name").is(() => true);
}

/**
 * From the policy's configuration, else the plan; by default the strict one. With an unknown plan
 * the other: production-only rules are then undecided.
 */
export function stageOf(resources: readonly Resource[], configured: string | undefined): string {
  if (configured !== undefined) {
    return configured;
  }
  const reading = readPlan(resources);
  if (reading.state === "unknown") {
    return "development";
  }
  return reading.state === "read" ? reading.plan.stage : "production";
}

/** The cloud whose controllers read annotations. */
export type Cloud = "aws" | "oci" | "none";

/** Shapes as each cloud spells them; own machines have other names. */
const SHAPES: readonly (readonly [Cloud, RegExp])[] = [
  ["oci", /^(VM|BM)\./],
  ["aws", /^[a-z][a-z0-9-]*\.(metal|[a-z0-9]*large)/],
];

/** Undefined without a plan. */
export function cloudOf(resources: readonly Resource[]): Cloud | undefined {
  const reading = readPlan(resources);
  if (reading.state !== "read") {
    return undefined;
  }
  const shapes = reading.plan.pools.map(({ shape = "" }) => shape);
  return SHAPES.find(([, pattern]) => shapes.some((shape) => pattern.test(shape)))?.[0] ?? "none";
}

export interface StageConfig {
  readonly stage?: "production" | "development";
}

export const STAGE_SCHEMA = {
  properties: {
    stage: {
      type: "string" as const,
      enum: ["production", "development"],
      description:
        "Stage of the stack; the stage of the published plan unless given, and production where there is no plan.",
    },
  },
};
