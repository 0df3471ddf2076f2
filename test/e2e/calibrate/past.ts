/** The past of a served model as OpenMetrics: what vLLM and kube-state-metrics would have reported of it. */
const STEP_SECONDS = 15;
const BOUNDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

/** A time of day with a steady load. */
export interface Phase {
  readonly seconds: number;
  readonly requestsPerSecond: number;
  readonly firstToken: number;
  readonly token: number;
}

export interface Past {
  readonly phases: readonly Phase[];
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly image: string;
  /** Seconds after the start at which all counters begin again. */
  readonly restartsAt?: number;
  /** A second image, from the middle on. */
  readonly laterImage?: string;
}

const OF = 'namespace="model-chat",model="chat",pod="model-chat-abc-1"';

/** @param end Unix seconds at which the last phase ends. */
export function openMetrics(
  { phases, inputTokens, outputTokens, image, restartsAt, laterImage }: Past,
  end: number,
): string {
  const length = phases.reduce((sum, { seconds }) => sum + seconds, 0);
  const families = new Map<string, string[]>();
  const write = (family: string, series: string, value: number, time: number) =>
    families.set(family, [...(families.get(family) ?? []), `${series} ${value} ${time}`]);
  let requests = 0;
  let sums: Readonly<Record<string, number>> = {};
  let counts: Readonly<Record<string, readonly number[]>> = {};
  const reset = () => {
    requests = 0;
    sums = {};
    counts = {};
  };
  const histogram = (name: string, value: number, added: number, time: number) => {
    const before = counts[name] ?? BOUNDS.map(() => 0);
    const now = BOUNDS.map((bound, i) => (before[i] ?? 0) + (value <= bound ? added : 0));
    counts = { ...counts, [name]: now };
    sums = { ...sums, [name]: (sums[name] ?? 0) + added * value };
    BOUNDS.forEach((bound, i) => {
      write(name, `${name}_bucket{${OF},le="${bound.toFixed(3)}"}`, now[i] ?? 0, time);
    });
    write(name, `${name}_bucket{${OF},le="+Inf"}`, requests, time);
    write(name, `${name}_count{${OF}}`, requests, time);
    write(name, `${name}_sum{${OF}}`, sums[name] ?? 0, time);
  };
  for (let at = 0; at <= length; at += STEP_SECONDS) {
    const time = end - length + at;
    const { requestsPerSecond, firstToken, token } = phaseAt(phases, at);
    if (restartsAt !== undefined && at >= restartsAt && at < restartsAt + STEP_SECONDS) {
      reset();
    }
    const added = at === 0 ? 0 : requestsPerSecond * STEP_SECONDS;
    requests += added;
    histogram("vllm:time_to_first_token_seconds", firstToken, added, time);
    histogram("vllm:request_time_per_output_token_seconds", token, added, time);
    histogram("vllm:e2e_request_latency_seconds", firstToken + (outputTokens - 1) * token, added, time);
    write("vllm:prompt_tokens", `vllm:prompt_tokens_total{${OF}}`, requests * inputTokens, time);
    write("vllm:generation_tokens", `vllm:generation_tokens_total{${OF}}`, requests * outputTokens, time);
    write("vllm:num_requests_running", `vllm:num_requests_running{${OF}}`, 1, time);
    write("vllm:kv_cache_usage_perc", `vllm:kv_cache_usage_perc{${OF}}`, 0.3, time);
    const ran = laterImage !== undefined && at > length / 2 ? laterImage : image;
    const info = `namespace="model-chat",pod="model-chat-abc-1",container="vllm",image="sha256:0123",image_spec="${ran}"`;
    write("kube_pod_container_info", `kube_pod_container_info{${info}}`, 1, time);
  }
  const type = (family: string) =>
    family.endsWith("seconds") ? "histogram" : family.endsWith("tokens") ? "counter" : "gauge";
  return `${[...families].map(([family, lines]) => [`# TYPE ${family} ${type(family)}`, ...bySeries(lines)].join("\n")).join("\n")}\n# EOF\n`;
}

/** OpenMetrics has all samples of a series together. */
function bySeries(lines: readonly string[]): string[] {
  const series = new Map<string, string[]>();
  for (const line of lines) {
    const name = line.slice(0, line.indexOf("} "));
    const known = series.get(name);
    if (known === undefined) {
      series.set(name, [line]);
    } else {
      known.push(line);
    }
  }
  return [...series.values()].flat();
}

function phaseAt(phases: readonly Phase[], at: number): Phase {
  let passed = 0;
  for (const phase of phases) {
    passed += phase.seconds;
    if (at <= passed) {
      return phase;
    }
  }
  throw new Error("after the last phase");
}
