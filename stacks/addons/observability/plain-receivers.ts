/** Receiver secrets in place of mappings: `slack: https://hooks.slack.com/services/…`. */
import {
  type AlertReceiverKind,
  RECEIVER_KINDS,
  RECEIVER_SECRETS,
} from "../../../components/observability/alert-receivers";
import { HIDDEN, type Path, type ProblemDraft, valueAt } from "../../config/core/problems";

/** For a text or list in place of a mapping, or a URL among receivers. Never shows the value. */
export function plainReceiver(path: Path, input: unknown): ProblemDraft | undefined {
  const [section, key, name] = path;
  if (section !== "observability" || key !== "alerts") {
    return undefined;
  }
  const kind = RECEIVER_KINDS.find((each) => each === name);
  const value = valueAt(input, path);
  const inPlaceOfMapping = kind !== undefined && path.length === 3 && isTextual(value);
  return inPlaceOfMapping || (isTextual(value) && JSON.stringify(value).includes("://"))
    ? { path, value: HIDDEN, allowed: allowedFor(kind), fix: fixFor(kind) }
    : undefined;
}

function isTextual(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || Array.isArray(value);
}

function allowedFor(kind: AlertReceiverKind | undefined): string {
  return `${kind === undefined ? "none, or receivers as mappings" : "a mapping"}, without URLs, keys and passwords: this file is committed`;
}

/** Fix for a secret in the section. */
function fixFor(kind: AlertReceiverKind | undefined): string {
  const secrets = kind === undefined ? Object.values(RECEIVER_SECRETS).slice(0, 2) : [RECEIVER_SECRETS[kind]];
  const commands = secrets.map((secret) => `pulumi config set --secret inference-stacks:${secret}`).join(" or ");
  const mapping = kind === "email" ? "email: {to: […], from: …, smarthost: …}" : `${kind ?? "slack"}: {}`;
  return `write ${mapping}, run ${commands}, and treat the value that was here as leaked`;
}
