const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Kubernetes quantity such as "15842Mi", "940m" or "1e3"; undefined for other text. */
export function quantity(text: string): number | undefined {
  const { number = "", suffix = "" } =
    /^(?<number>\d+(\.\d*)?|\.\d+)(?<suffix>[eE][+-]?\d+|[a-zA-Z]*)$/.exec(text)?.groups ?? {};
  if (number === "") {
    return undefined;
  }
  const exponent = /^[eE](?<power>[+-]?\d+)$/.exec(suffix)?.groups?.power;
  const factor = exponent === undefined ? FACTORS[suffix] : 10 ** Number(exponent);
  return factor === undefined ? undefined : Number(number) * factor;
}

export const GIB = 2 ** 30;
