/** Shapes of `fleet plan --json` and `fleet status --json`, which generate docs/fleet-json.md. */
import { z } from "zod";
import { planSchema } from "../../report/json/schema";
import type { PlanJson } from "../../report/result";
import type { StatusReport } from "../status/result";

/** Raised when a key is removed or changes name, type, unit or meaning. Not for new keys. */
export const FLEET_SCHEMA_VERSION = 1;

const text = (description: string) => z.string().meta({ description });
const count = (unit: string, description: string) => z.int().min(0).meta({ description, unit });
const usd = (description: string) => z.number().meta({ description, unit: "USD" });
const seconds = z.number().meta({ description: "Time that it took.", unit: "seconds" });

const problem = z.strictObject({
  file: text("File that holds the value: the fleet's, the inherited one, or the node's own."),
  line: z.int().optional().meta({ description: "Line in it, from 1; absent where it has none." }),
  path: text("Section and keys: `models.chat.concurrency`."),
  value: text("Value; `(hidden)` for secrets."),
  allowed: text("Allowed values."),
  fix: text("What to do."),
  message: text("All of it in one sentence."),
});

const FILE_STATES = ["missing", "current", "outdated", "foreign"] as const;

const node = {
  name: text("Name of the node, and of its stack."),
  extends: z.string().optional().meta({ description: "What it inherits; absent: nothing." }),
  file: z.enum(FILE_STATES).meta({
    description:
      "The node's `Pulumi.<name>.yaml`: not written yet, as it would be written now, of an earlier state of the fleet's file, or not of the fleet.",
  }),
  problems: z.array(problem).meta({ description: "Mistakes in what the node says or inherits." }),
  failure: z
    .string()
    .optional()
    .meta({ description: "Why there is no answer, where no line of a file is to blame; may have several lines." }),
  notes: z.array(z.string()).meta({ description: "What deserves to be known, and forbids nothing." }),
};

export const VERDICTS = ["deployable", "refused", "bad-input", "failed"] as const;

/** `plan --json` without resources: fifty of them are megabytes. */
export const nodePlanSchema = planSchema.omit({ resources: true });

export const fleetPlanSchema = z.strictObject({
  schemaVersion: z.literal(FLEET_SCHEMA_VERSION).meta({ description: "Version of this shape." }),
  fleet: text("Name of the fleet's file."),
  ok: z.boolean().meta({ description: "Every node is deployable; exit status 0." }),
  totals: z
    .strictObject({
      nodes: count("nodes", "Nodes that were asked for."),
      deployable: count("nodes", "Nodes that can be deployed."),
      refused: count("nodes", "Nodes that a capacity rule or policy forbids."),
      badInput: count("nodes", "Nodes with mistakes in what they say."),
      failed: count("nodes", "Nodes that got no plan, through no mistake of theirs."),
      models: count("models", "Models that have a place, on all nodes."),
      machines: count("machines", "Machines that always run, on all nodes."),
      monthlyUsd: usd("What all of them cost a month."),
      maxMonthlyUsd: usd("The same with every pool at its maxNodes."),
    })
    .meta({ description: "Sums over the nodes that have a plan." }),
  nodes: z
    .array(
      z.strictObject({
        ...node,
        verdict: z.enum(VERDICTS).meta({ description: "What came of it." }),
        resources: z.int().min(0).optional().meta({ description: "Resources that its program makes." }),
        plan: z
          .looseObject({})
          .optional()
          .meta({ description: "Its plan: the keys of `plan --json` but `resources`; absent without a plan." }),
      }),
    )
    .meta({ description: "Every node, in the order of the file." }),
  seconds,
});

export const fleetStatusSchema = z.strictObject({
  schemaVersion: z.literal(FLEET_SCHEMA_VERSION).meta({ description: "Version of this shape." }),
  fleet: text("Name of the fleet's file."),
  ok: z.boolean().meta({ description: "Everything answers on every node; exit status 0." }),
  totals: z
    .strictObject({
      nodes: count("nodes", "Nodes that were asked for."),
      well: count("nodes", "Nodes on which everything answers."),
      unwell: count("nodes", "Nodes on which something does not."),
      notAsked: count("nodes", "Nodes whose cluster could not be asked."),
      badInput: count("nodes", "Nodes with mistakes in what they say."),
      failed: count("nodes", "Nodes that got no plan, through no mistake of theirs."),
    })
    .meta({ description: "How many of each." }),
  nodes: z
    .array(
      z.strictObject({
        ...node,
        verdict: z.enum(["well", "unwell", "not-asked", "bad-input", "failed"]).meta({
          description:
            "Everything answers, something does not, the cluster could not be asked, or it is unknown what to ask for, with or without a mistake of the node.",
        }),
        status: z
          .looseObject({})
          .optional()
          .meta({ description: "Its state: the keys of `status --json`; absent where there was nothing to ask for." }),
      }),
    )
    .meta({ description: "Every node, in the order of the file." }),
  seconds,
});

export type FileState = (typeof FILE_STATES)[number];
export type Verdict = (typeof VERDICTS)[number];
export type FleetProblem = Readonly<z.infer<typeof problem>>;
/** From worker to document. */
export type NodePlan = Omit<PlanJson, "resources">;
export type PlannedNode = Omit<z.infer<typeof fleetPlanSchema>["nodes"][number], "plan"> & { readonly plan?: NodePlan };
export type FleetPlan = Omit<z.infer<typeof fleetPlanSchema>, "nodes"> & { readonly nodes: readonly PlannedNode[] };
export type AskedNode = Omit<z.infer<typeof fleetStatusSchema>["nodes"][number], "status"> & {
  readonly status?: StatusReport;
};
export type FleetStatus = Omit<z.infer<typeof fleetStatusSchema>, "nodes"> & { readonly nodes: readonly AskedNode[] };
