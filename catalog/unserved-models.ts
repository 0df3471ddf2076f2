/** Known kinds of models without engine support: such names are no typing errors. */
import table from "./unserved-models.json";

export interface UnservedModel {
  readonly kind: string;
  /** What is missing for it. */
  readonly why: string;
  readonly fix: string;
}

interface Row extends UnservedModel {
  readonly tasks: readonly string[];
  readonly names: readonly string[];
  readonly modelTypes: readonly string[];
  /** Keys that a config.json of this kind has, and no other. */
  readonly configKeys?: readonly string[];
  /** Whether classes of classifiers are of this kind. */
  readonly classifier?: boolean;
}

const ROWS: readonly Row[] = table.kinds;

const NAMES = ROWS.map((row) => ({ row, pattern: new RegExp(`^(?:${row.names.join("|")})$`, "i") }));

/** @param name as people write it, with or without its organization. */
export function unservedByName(name: string): UnservedModel | undefined {
  const own = name.slice(name.lastIndexOf("/") + 1);
  return NAMES.find(({ pattern }) => pattern.test(own))?.row;
}

/** @param task that is none of the platform's. */
export function unservedByTask(task: string): UnservedModel | undefined {
  return ROWS.find(({ tasks }) => tasks.some((each) => each.toLowerCase() === task.toLowerCase()));
}

/** @param config content of a config.json. */
export function unservedByConfig(config: Readonly<Record<string, unknown>>): UnservedModel | undefined {
  return ROWS.find(
    ({ modelTypes, configKeys = [], classifier = false }) =>
      modelTypes.some((type) => type === config.model_type) ||
      configKeys.some((key) => Object.hasOwn(config, key)) ||
      (classifier && isClassifier(config)),
  );
}

/** With one label a class of this name is a reranker. */
function isClassifier({ architectures, id2label }: Readonly<Record<string, unknown>>): boolean {
  const labels = typeof id2label === "object" && id2label !== null ? Object.keys(id2label).length : 0;
  return (
    labels > 1 &&
    Array.isArray(architectures) &&
    architectures.some(
      (each) => typeof each === "string" && /For(Sequence|Token|Image|Audio)Classification$/.test(each),
    )
  );
}
