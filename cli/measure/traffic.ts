/** Requests that a measurement makes. */
export interface MeasuredTraffic {
  /** Tokens of a prompt, what the server puts around it included. */
  readonly inputTokens: number;
  /** Tokens of an answer at most: each asks for four to five fifths of it, so that requests do not march in step. */
  readonly outputTokens: number;
  /** Tokens at the beginning of prompts that are the same in all. */
  readonly sharedPrefixTokens: number;
}

/** Of a chat, as load tests usually have it. */
export const USUAL_TRAFFIC: MeasuredTraffic = { inputTokens: 512, outputTokens: 128, sharedPrefixTokens: 0 };

const KEYS = { in: "inputTokens", out: "outputTokens", prefix: "sharedPrefixTokens" } as const;

/** Tokens: more would be a typing mistake. */
const MOST_TOKENS = 1_000_000;
/** Below, time per token is not seen. */
const FEWEST_OUTPUT = 8;

/** Reads `in=1000,out=300`. @throws Error with everything that is wrong with it. */
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
