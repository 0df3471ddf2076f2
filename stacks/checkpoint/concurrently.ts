/**
 * Results of work for each item, in the order of the items; at most `limit` of them run at once. Rejects with the first error.
 */
export async function concurrently<Item, Result>(
  limit: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const next = async (): Promise<void> => {
    for (const [at, item] of waiting) {
      results[at] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: limit }, next));
  return results;
}
