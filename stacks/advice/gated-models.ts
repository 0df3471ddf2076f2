import { findModel } from "../../catalog/models";
import { setSecretCommand } from "../../names/secret-command";
import type { CapacityProblem, ModelPlan } from "../../planner/types";
import type { Advised } from "./advice";

/** Repositories that may need a token: with terms to accept, or unknown, possibly private. */
export function gatedModels({
  plan,
  secrets,
  environment: { storage },
}: Pick<Advised, "plan" | "secrets" | "environment">): CapacityProblem[] {
  if (secrets.huggingFaceToken) {
    return storage.hub?.url.startsWith("http://") ? [tokenInClear(storage.hub.url)] : [];
  }
  const repositories = plan.models.flatMap(repositoriesOf);
  const gated = repositories.filter(({ repository }) => findModel(repository)?.gated === true);
  const unknown = repositories.filter(({ repository }) => findModel(repository) === undefined);
  const command = setSecretCommand("huggingFaceToken", plan.environment);
  if (storage.hub) {
    return advice(
      [...gated, ...unknown],
      "private-repositories",
      `no token is set, and whether ${storage.hub.url} lets everybody read the repository is not known here; if it does not, the download would fail. Then: ${command}`,
    );
  }
  return [
    ...advice(
      gated,
      "gated-models",
      `gated on Hugging Face, and no token is set: the download would fail. Accept the terms there, then: ${command}`,
    ),
    ...advice(
      unknown,
      "private-repositories",
      `no token is set, and whether the repository is public is not known here: of a private or gated one the download would fail. For those: ${command}`,
    ),
  ];
}

function tokenInClear(hub: string): CapacityProblem {
  return {
    severity: "advisory",
    rule: "token-in-clear",
    subject: "storage.hub.url",
    message: `${hub} has no TLS, so Jobs refuse to send huggingFaceToken there and download nothing. Use https://, or take the secret away where the hub asks for none`,
  };
}

interface UsedRepository {
  /** A model, or an adapter as `<model>.adapters.<name>`. */
  readonly name: string;
  readonly repository: string;
}

function repositoriesOf({ name, source, adapters }: ModelPlan): UsedRepository[] {
  const own = [{ name, source }];
  const besides = (adapters?.list ?? []).map((each) => ({ ...each, name: `${name}.adapters.${each.name}` }));
  return [...own, ...besides].flatMap((used) =>
    used.source.kind === "huggingface" ? [{ name: used.name, repository: used.source.repository }] : [],
  );
}

function advice(used: readonly UsedRepository[], rule: string, text: string): CapacityProblem[] {
  const names = used.map(({ name }) => name).join(", ");
  return used.length === 0
    ? []
    : [{ severity: "advisory", rule, subject: "huggingFaceToken", message: `${names}: ${text}` }];
}
