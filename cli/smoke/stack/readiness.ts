import type { Asked } from "../../status/ask";
import { gitopsText } from "../../status/gitops";
import type { GitopsStatus, ModelStatus, State } from "../../status/result";

export type Readiness =
  | { readonly kind: "ready" }
  /** Not ready yet, without problems. */
  | { readonly kind: "starting"; readonly what: string }
  | { readonly kind: "broken"; readonly what: string; readonly problems: readonly string[] }
  /** No answer from the cluster. */
  | { readonly kind: "unreachable"; readonly what: string; readonly problems: readonly string[] };

/** Model states that need no waiting. */
const SETTLED: readonly State[] = ["ready", "stopped", "asleep", "outside"];
/** Permanent states. */
const BROKEN: readonly State[] = ["failing", "absent"];

/** Argo CD first, then models. */
export function readinessOf({ failure, gitops, models }: Pick<Asked, "failure" | "gitops" | "models">): Readiness {
  if (failure !== null) {
    return { kind: "unreachable", what: failure.message, problems: [failure.message, ...failure.remedies] };
  }
  const waited = models.filter(({ state }) => !SETTLED.includes(state));
  const states = waited.map(stateText);
  if (gitops !== null && !isApplied(gitops)) {
    const what = [`Argo CD ${gitops.sync}, ${gitops.health}`, ...states].join(" · ");
    return gitops.health === "Degraded" || gitops.messages.length > 0
      ? { kind: "broken", what, problems: [gitopsText(gitops).trim()] }
      : { kind: "starting", what };
  }
  if (waited.length === 0) {
    return { kind: "ready" };
  }
  const what = states.join(" · ");
  const broken = waited.filter(({ state, problems }) => BROKEN.includes(state) || problems.length > 0);
  return broken.length === 0
    ? { kind: "starting", what }
    : { kind: "broken", what, problems: broken.flatMap(problemTexts) };
}

function isApplied({ sync, health }: GitopsStatus): boolean {
  return sync === "Synced" && health === "Healthy";
}

function stateText({ name, state, readyReplicas, replicas }: ModelStatus): string {
  return `${name} ${state}, ${readyReplicas} of ${replicas} ready`;
}

function problemTexts(model: ModelStatus): string[] {
  return [stateText(model), ...model.problems.map(({ what, why }) => `${model.name}: ${what}: ${why}`)];
}
