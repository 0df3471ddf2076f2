import { type Field, isObject } from "./field";

/** Labels that every namespace has: its name, which the API server sets, and its level of Pod Security, which the platform asks for. */
const NAME = "kubernetes.io/metadata.name";
const LEVEL = "pod-security.kubernetes.io/enforce";
const LEVELS = ["privileged", "baseline", "restricted"];

/** Whether a label selector leaves nothing out: no label is asked for, or only that it is none of some, or one that every namespace has. */
export function selectsAll(selector: Field): boolean {
  const labels = selector.get("matchLabels");
  return (
    selector.is(() => true) &&
    labels.is((value) => !isObject(value) || Object.keys(value).length === 0) &&
    selector.get("matchExpressions").is(() => true) &&
    selector.get("matchExpressions").items().every(leavesNothingOut)
  );
}

function leavesNothingOut(expression: Field): boolean {
  const [key, values] = [expression.get("key"), expression.get("values").items()];
  return expression.get("operator").is((operator) => {
    switch (operator) {
      case "NotIn":
      case "DoesNotExist":
        return true;
      case "Exists":
        return key.is((label) => label === NAME || label === LEVEL);
      case "In":
        return (
          key.is((label) => label === LEVEL) &&
          LEVELS.every((level) => values.some((each) => each.is((value) => value === level)))
        );
      default:
        return false;
    }
  });
}
