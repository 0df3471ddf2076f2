import type { Chart } from "./application";
import table from "./chart-secrets.json";
import { isRecord } from "./kubernetes-object";
import { type PendingText, pendingPaths } from "./pending-values";
import { RenderRefusedError } from "./refusal";

/**
 * How a chart can take a value from a Secret although it only knows the value itself: the value ends in an argument of
 * a container, where the kubelet replaces `$(NAME)` by an environment variable, and the chart lets us add variables.
 */
interface EnvironmentRoute {
  /** Name of the variable, and of the key in the Secret. */
  readonly variable: string;
  /** Path of the chart's list of additional environment variables. */
  readonly environment: string;
}

const ROUTES: Readonly<Record<string, Readonly<Record<string, EnvironmentRoute>> | undefined>> = table;

export interface ChartWithReferences {
  readonly chart: Chart;
  /** Name of the Secret that the chart reads in its namespace, and its content; undefined when none is needed. */
  readonly secret: { readonly name: string; readonly content: ReadonlyMap<string, PendingText> } | undefined;
}

/**
 * The chart with references in place of secret values.
 *
 * @throws RenderRefusedError when a value holds a secret and the chart knows no way to read it from a Secret.
 */
export function withReferences(urn: string, chart: Chart): ChartWithReferences {
  const name = `${chart.release}-values`;
  const content = new Map<string, PendingText>();
  let values: Readonly<Record<string, unknown>> = chart.values;
  for (const { path, text } of pendingPaths(chart.values)) {
    const route = ROUTES[chart.name]?.[path.join(".")];
    if (!route) {
      throw new RenderRefusedError([
        `${urn}: the value ${path.join(".")} of the chart ${chart.name} holds a secret. Let the chart read an existing Secret (often "existingSecret"), or say in cli/render/chart-secrets.json how it can.`,
      ]);
    }
    content.set(route.variable, text);
    const variable = { name: route.variable, valueFrom: { secretKeyRef: { name, key: route.variable } } };
    values = changed(values, path, () => `$(${route.variable})`);
    values = changed(values, route.environment.split("."), (list) => [...(Array.isArray(list) ? list : []), variable]);
  }
  return { chart: { ...chart, values }, secret: content.size > 0 ? { name, content } : undefined };
}

function changed(
  values: Readonly<Record<string, unknown>>,
  [key = "", ...rest]: readonly (string | number)[],
  change: (value: unknown) => unknown,
): Readonly<Record<string, unknown>> {
  const value = values[key];
  return { ...values, [key]: rest.length === 0 ? change(value) : changed(isRecord(value) ? value : {}, rest, change) };
}
