/**
 * promtool's `group_eval_order`: recordings in the order given, then alerts. Without it groups are evaluated in a random order, and a group
 * before the one that it reads sees values of the evaluation before; where those are more than 5 minutes apart, it sees none.
 */
export function evaluationOrder(groups: readonly { readonly name: string }[]): string[] {
  const names = groups.map(({ name }) => name);
  const isRecording = (name: string) => name.endsWith(".recording");
  return [...names.filter(isRecording), ...names.filter((name) => !isRecording(name))];
}
