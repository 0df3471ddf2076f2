import { decimal } from "../../names/decimal";
import type { DeploymentPlan } from "../types";

export function samePlaces(a: DeploymentPlan, b: DeploymentPlan): boolean {
  const places = ({ models }: DeploymentPlan) => JSON.stringify(models.map(({ name, pool }) => [name, pool]));
  return places(a) === places(b);
}

/** `1,234` */
export function wholeUsd(amount: number): string {
  return decimal(amount, 0);
}
