/** Gauges that are set together, from figures of one source. */
import { Gauge, type Registry } from 'prom-client';

export type GaugeSet<Figures> = {
  set(figures: Figures): void;
  /** Reports none of the gauges until they are set again, because the last values are no longer true. */
  clear(): void;
};

/** @returns what makes the gauges, and what makes a set of all that were made */
export function gaugeSet(registers: Registry[]) {
  const clearers: (() => void)[] = [];
  return {
    gauge(name: string, help: string, labelNames: string[] = []): Gauge {
      const gauge = new Gauge({ name, help, labelNames, registers });
      // Reset to nothing, a gauge with labels reports nothing; one without would report 0.
      clearers.push(() => (labelNames.length > 0 ? gauge.reset() : gauge.remove()));
      return gauge;
    },
    makeSet<Figures>(set: (figures: Figures) => void): GaugeSet<Figures> {
      return {
        set,
        clear() {
          for (const clear of clearers) clear();
        },
      };
    },
  };
}
