import type { ApplicationFact } from "./facts";
import type { GitopsStatus } from "./result";

/** Failed phases of an operation. */
const FAILED = ["Error", "Failed"];

/** Argo CD's progress with the rendered folder. */
export function gitopsOf(application: string, fact: ApplicationFact | null): GitopsStatus {
  const { sync, health, conditions = [], operationState } = fact?.status ?? {};
  const failed = operationState !== undefined && FAILED.includes(operationState.phase) ? [operationState.message] : [];
  return {
    application,
    sync: sync?.status ?? "Unknown",
    health: health?.status ?? "Unknown",
    revision: sync?.revision ?? null,
    messages: [...conditions.map(({ type, message }) => `${type}: ${message}`), ...failed],
  };
}

export function gitopsText({ application, sync, health, revision, messages }: GitopsStatus): string {
  const at = revision === null ? "" : ` at ${revision.slice(0, 12)}`;
  return `Argo CD: ${application} ${sync}, ${health}${at}\n${messages.map((message) => `  ${message}\n`).join("")}`;
}
