import { describeObject, type KubernetesObject } from "../../kubernetes/object";
import { type ApiClient, ApiError } from "./api-client";

export async function patchStatus(client: ApiClient, object: KubernetesObject, status: object): Promise<void> {
  const path = `${await client.path(object)}/status`;
  const answer = await client.request("PATCH", path, JSON.stringify({ status }), "application/merge-patch+json");
  if (answer.status !== 200) {
    throw new ApiError(`change the status of ${describeObject(object)}`, answer.status, answer.body);
  }
}
