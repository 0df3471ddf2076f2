import { decimal } from "../../names/decimal";
import type { DeploymentPlan } from "../types";

/** Whether two plans place the same models on the same pools. */
export function samePlaces(a: DeploymentPlan, b: DeploymentPlan): boolean {
  const places = ({ models }: DeploymentPlan) => JSON.stringify(models.map(({ name, pool }) => [name, pool]));
  return places(a) === places(b);
}

/** `1,234` */
export function wholeUsd(amount: number): string {
  return decimal(amount, 0);
}
