import { type Field, isObject } from "./field";

/** The API server sets a namespace's name; the platform requires the Pod Security level. */
const NAME = "kubernetes.io/metadata.name";
const LEVEL = "pod-security.kubernetes.io/enforce";
const LEVELS = ["privileged", "baseline", "restricted"];

/** No label, only exclusions, or a label of every namespace. */
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
