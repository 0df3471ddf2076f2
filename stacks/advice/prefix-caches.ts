import { engineOf } from "../../engines";
import { groupsOf, prefixCaches } from "../../planner/prefix-caches";
import { tenantsOf } from "../../planner/tenants";
import type { CapacityProblem, ModelPlan } from "../../planner/types";
import type { Advised } from "./advice";

type About = Pick<Advised, "plan" | "environment">;

/** One consumer's prompts are reused for others: time to first token reveals earlier prompts. */
export function sharedPrefixCaches(about: About): CapacityProblem[] {
  const shared = models(about, (model) => engineOf(model.engine).prefixReuse(model) === "shared");
  return advice(
    "shared-prefix-caches",
    shared.map(({ name, engine }) => `models.${name} (${engineOf(engine).label})`),
    "this engine or release reuses what it computed of one consumer's prompts for all others, and the time to the first token shows them what was asked before. To fix it: an engine or release that keeps consumers apart (docs/prefix-caches.md#where-it-does-not-hold), a model for each of them, or gateway.prefixCaches.share with those who may know.",
  );
}

/** Images of one consumer are reused for another, whatever happens to prompts. */
export function sharedImageCaches(about: About): CapacityProblem[] {
  const shared = models(about, (model) => model.takesImages && engineOf(model.engine).reusesImages?.(model) === true);
  return advice(
    "shared-image-caches",
    shared.map(({ name }) => `models.${name}`),
    'the engine reuses what it computed of one consumer\'s image for all others, and the time to the first token shows any sender of the same image that it was sent before; no option ends that (docs/prefix-caches.md#where-it-does-not-hold). To fix it: a model for each of them, gateway.prefixCaches.share with those who may know, or args: {limit-mm-per-prompt: {"image": 0, "video": 0}} where no client sends images.',
  );
}

/** Models of several consumers that do not share. */
function models({ plan, environment: { gateway, models: named } }: About, isMeant: (model: ModelPlan) => boolean) {
  const tenants = tenantsOf(gateway.consumers, named);
  const groups = groupsOf(gateway.prefixCaches?.share);
  return plan.models.filter(
    (model) => isMeant(model) && prefixCaches(model.revisionOf?.model ?? model.name, tenants, groups) !== undefined,
  );
}

function advice(rule: string, about: readonly string[], text: string): CapacityProblem[] {
  return about.length === 0
    ? []
    : [{ severity: "advisory", rule, subject: "gateway.consumers", message: `${about.join(", ")}: ${text}` }];
}
