/** Random numbers that a seed repeats: mulberry32, by Tommy Ettinger, public domain. */
export type Random = {
  next(): number;
  below(limit: number): number;
  pick<T>(from: readonly T[]): T;
  shuffled<T>(from: readonly T[]): T[];
};

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    pick: (from) => from[below(from.length)]!,
    shuffled(from) {
      const shuffled = [...from];
      for (let at = shuffled.length - 1; at > 0; at--) {
        const other = below(at + 1);
        [shuffled[at], shuffled[other]] = [shuffled[other]!, shuffled[at]!];
      }
      return shuffled;
    },
  };
}
