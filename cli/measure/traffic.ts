/** Requests of a measurement. */
export interface MeasuredTraffic {
  /** Of a prompt, with the server's template. */
  readonly inputTokens: number;
  /** Maximum per answer: requests ask for 80 to 100 percent, so that they do not synchronize. */
  readonly outputTokens: number;
  /** Common prefix of all prompts. */
  readonly sharedPrefixTokens: number;
}

/** A chat, as usual in load tests. */
export const USUAL_TRAFFIC: MeasuredTraffic = { inputTokens: 512, outputTokens: 128, sharedPrefixTokens: 0 };

const KEYS = { in: "inputTokens", out: "outputTokens", prefix: "sharedPrefixTokens" } as const;

/** More would be a typing mistake. */
const MOST_TOKENS = 1_000_000;
/** Fewer do not show time per token. */
const FEWEST_OUTPUT = 8;

/** Reads `in=1000,out=300`. @throws Error with all mistakes. */
export function readTraffic(text: string): MeasuredTraffic {
  const problems: string[] = [];
  const given: { -readonly [Key in keyof MeasuredTraffic]?: number } = {};
  for (const part of text.split(",")) {
    const [key = "", value = ""] = part.split("=").map((word) => word.trim());
    const least = key === "out" ? FEWEST_OUTPUT : key === "in" ? 1 : 0;
    if (!Object.hasOwn(KEYS, key)) {
      problems.push(`--traffic knows ${Object.keys(KEYS).join(", ")}, not "${key}": write in=1000,out=300`);
    } else if (!/^\d+$/.test(value) || Number(value) < least || Number(value) > MOST_TOKENS) {
      problems.push(`--traffic ${key} must be a whole number of tokens from ${least} to ${MOST_TOKENS}, is "${value}"`);
    } else {
      given[KEYS[key as keyof typeof KEYS]] = Number(value);
    }
  }
  const traffic = { ...USUAL_TRAFFIC, ...given };
  if (problems.length === 0 && traffic.sharedPrefixTokens >= traffic.inputTokens) {
    problems.push(
      `--traffic prefix=${traffic.sharedPrefixTokens} must be below in=${traffic.inputTokens}: it is a part of the prompt`,
    );
  }
  if (problems.length > 0) {
    throw new Error(problems.join("\n"));
  }
  return traffic;
}
