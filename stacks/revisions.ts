/** Revisions of a plan: moving ones are refused, and promotion of canaries. */
import { commitOf, type Moves, movingPart, parseSource, SOURCES, sourceText } from "../engines/sources";
import type { ModelRequest, PlanRequest } from "../planner/request";
import type { CapacityProblem } from "../planner/types";
import type { EnvironmentConfig } from "./config";

type Models = EnvironmentConfig["models"];

/**
 * Refuses moving sources: in production those of the user, and any compared with a canary. A
 * catalogue model without a commit is no mistake of the user's: `advice/moving-revisions.ts`.
 *
 * @param models by name, including canaries.
 */
export function revisionProblems(
  { environment, stage, models: requests }: Pick<PlanRequest, "environment" | "stage" | "models">,
  models: Models,
): CapacityProblem[] {
  return requests.flatMap((request) => [
    ...movingSource(request, { environment, stage, requests, models }),
    ...(stage === "production" ? movingAdapters(request, environment) : []),
  ]);
}

interface Among extends Pick<PlanRequest, "environment" | "stage"> {
  readonly requests: readonly ModelRequest[];
  readonly models: Models;
}

function movingSource({ name, source, revisionOf }: ModelRequest, among: Among): CapacityProblem[] {
  const { requests, models, stage, environment } = among;
  const { source: written } = models[name] ?? {};
  const part = movingPart(source);
  const { moves } = SOURCES[source.kind];
  const isInherited = revisionOf !== undefined && written === models[revisionOf.model]?.source;
  if (part === undefined || moves === undefined || isInherited) {
    return [];
  }
  const isCompared = revisionOf !== undefined || requests.some((other) => other.revisionOf?.model === name);
  const reason = [
    stage === "production" && written !== undefined && `${moves.effect} in production`,
    moves.pinnedBy && isCompared && `a model and its canary differ by their ${moves.pinnedBy}s`,
  ].find((text) => typeof text === "string");
  const setting = `models.${name}.source${written === undefined ? "" : ` "${written}"`}`;
  return reason === undefined
    ? []
    : [refusal(name, `${setting} follows ${part}: ${reason}`, moves, fixFor(moves, environment))];
}

function fixFor({ pinnedBy }: Moves, environment: string): string {
  return pinnedBy
    ? `npm run pin -- ${environment} writes the ${pinnedBy} that it is at now`
    : "write the tag of the build that was tested";
}

/** A canary uses its model's. */
function movingAdapters({ name, adapters = [], revisionOf }: ModelRequest, environment: string): CapacityProblem[] {
  return (revisionOf ? [] : adapters).flatMap(({ name: adapter, source }) => {
    const part = movingPart(source);
    const { moves } = SOURCES[source.kind];
    const what = `models.${name}.adapters.${adapter} follows ${part}: ${moves?.effect} in production`;
    return part === undefined || moves === undefined ? [] : [refusal(name, what, moves, fixFor(moves, environment))];
  });
}

function refusal(model: string, what: string, { fixed }: Moves, fix: string): CapacityProblem {
  return {
    severity: "mandatory",
    rule: "moving-revision",
    subject: `models.${model}`,
    message: `${what}. Allowed: ${fixed}. To fix it: ${fix}.`,
  };
}

/** Advice on promoting a canary: what defines its model, so that its weights are found in place. */
export function promotionNotes({ source, revisionOf }: ModelRequest, models: Models): string[] {
  const model = models[revisionOf?.model ?? ""];
  const commit = commitOf(source);
  const now = model?.source === undefined ? undefined : commitOf(parseSource(model.source));
  if (revisionOf === undefined || source.kind !== "huggingface" || commit === undefined || now === undefined) {
    return [];
  }
  const to = sourceText(source.kind, `${source.repository}@${commit}`);
  return commit === now
    ? []
    : [
        `to promote it and copy nothing again, write source: ${to} and firstRevision: ${model?.firstRevision ?? now} under models.${revisionOf.model} (docs/canary.md)`,
      ];
}
