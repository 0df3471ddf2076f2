/** Mean costs recorded by Prometheus; absent times count as zero. */
import { COST_SERIES, TENANT_TOKENS_SERIES } from "../../names/cost-series";
import { READY_REPLICAS_SERIES } from "../../names/recorded-series";
import type { Prometheus, Sample } from "../prometheus/client";
import { StepFailure } from "../smoke/result";

/** Means, US dollars an hour by default. */
export interface Figures {
  /** Recorded hours. */
  readonly hours: number;
  readonly total: number;
  /** Services other than machines, as planned. */
  readonly pools: ReadonlyMap<string, { readonly usd: number; readonly nodes: number; readonly unclaimed: number }>;
  readonly models: ReadonlyMap<string, ModelFigures>;
  readonly tenants: readonly { readonly tenant: string; readonly usd: number; readonly tokensPerSecond: number }[];
}

export interface ModelFigures {
  /** By pool. */
  readonly allocated: ReadonlyMap<string, number>;
  /** While its GPUs were busy. */
  readonly used?: number;
  readonly replicas: number;
  readonly tokensPerSecond: number;
}

/** Evaluation interval of the rules. */
const EVERY_SECONDS = 30;

/** One instant query each. */
export function costQueries(days: number) {
  const window = `[${Math.round(days * 86_400)}s]`;
  // The total exists whenever anything is recorded.
  const evaluations = `scalar(max(count_over_time(${COST_SERIES.total}${window})))`;
  const mean = (by: string, series: string) => `sum by (${by}) (sum_over_time(${series}${window})) / ${evaluations}`;
  const { node, model, used, unclaimed, tenant, total } = COST_SERIES;
  return {
    evaluations: `max(count_over_time(${total}${window}))`,
    total: `avg_over_time(${total}${window})`,
    pools: mean("pool", node),
    nodes: `sum by (pool) (count_over_time(${node}${window})) / ${evaluations}`,
    unclaimed: mean("pool", unclaimed),
    allocated: mean("model, pool", model),
    used: mean("model", used),
    replicas: mean("model", READY_REPLICAS_SERIES),
    tenants: mean("tenant", tenant),
    tokensOfTenants: mean("tenant", TENANT_TOKENS_SERIES),
    tokensOfModels: mean("model", TENANT_TOKENS_SERIES),
  } as const;
}

export type CostAnswers = Readonly<Record<keyof ReturnType<typeof costQueries>, readonly Sample[]>>;

/** @throws NoAnswer, StepFailure */
export async function askFigures(prometheus: Prometheus, days: number, signal: AbortSignal): Promise<Figures> {
  const queries = Object.entries(costQueries(days));
  const answers = await Promise.all(
    queries.map(async ([name, expr]) => [name, await prometheus.now(expr, signal)] as const),
  );
  return figuresOf(Object.fromEntries(answers) as unknown as CostAnswers);
}

/** @param everySeconds evaluation interval of the rules. @throws StepFailure without records. */
export function figuresOf(answers: CostAnswers, everySeconds = EVERY_SECONDS): Figures {
  const [{ value: evaluations } = { value: 0 }] = answers.evaluations;
  const [{ value: total } = { value: 0 }] = answers.total;
  if (!(evaluations > 0)) {
    throw new StepFailure({
      expected: `recorded costs (${COST_SERIES.total})`,
      got: "none",
      lookAt: "whether this is the environment's own Prometheus, and whether pulumi up has applied the rules",
    });
  }
  const of = (samples: readonly Sample[], label: string) =>
    new Map(samples.map(({ labels, value }) => [labels[label] ?? "", value]));
  const [nodes, unclaimed] = [of(answers.nodes, "pool"), of(answers.unclaimed, "pool")];
  const [used, replicas] = [of(answers.used, "model"), of(answers.replicas, "model")];
  const [tokensOfTenants, tokensOfModels] = [
    of(answers.tokensOfTenants, "tenant"),
    of(answers.tokensOfModels, "model"),
  ];
  const names = [...new Set([...answers.allocated.map(({ labels }) => labels.model ?? ""), ...tokensOfModels.keys()])];
  return {
    hours: (evaluations * everySeconds) / 3600,
    total,
    pools: new Map(
      answers.pools.map(({ labels: { pool = "" }, value }) => [
        pool,
        { usd: value, nodes: nodes.get(pool) ?? 0, unclaimed: unclaimed.get(pool) ?? 0 },
      ]),
    ),
    models: new Map(
      names.map((name): [string, ModelFigures] => {
        const busy = used.get(name);
        return [
          name,
          {
            allocated: of(
              answers.allocated.filter(({ labels }) => labels.model === name),
              "pool",
            ),
            ...(busy !== undefined && { used: busy }),
            replicas: replicas.get(name) ?? 0,
            tokensPerSecond: tokensOfModels.get(name) ?? 0,
          },
        ];
      }),
    ),
    tenants: answers.tenants.map(({ labels: { tenant = "" }, value }) => ({
      tenant,
      usd: value,
      tokensPerSecond: tokensOfTenants.get(tenant) ?? 0,
    })),
  };
}
