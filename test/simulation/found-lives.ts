/** Lives in which a fault was found. */
import type { Lived } from './story.ts';

export const FOUND_LIVES: readonly Lived[] = [
  {
    // History joined an interval between another timeline's delivery and its adoption.
    begin: '2026-07-29',
    cadence: { interval: 'every 360 minutes', timezone: 'Asia/Kolkata', offsetDay: 0, offsetHour: 0 },
    lasts: 5,
    redeliverStale: false,
    layout: 'versioned',
    commands: [
      { do: 'weather', weather: 'unavailable' },
      { do: 'succeed', after: 'delete' },
      { do: 'advance', hours: 30 },
      { do: 'cancel', nth: 19 },
      { do: 'backUp' },
      { do: 'backfill', hoursAgo: 62, hours: 77 },
      { do: 'advance', hours: 30 },
      { do: 'restore', restarts: false },
      { do: 'import', hoursAgo: 9, hours: 50 },
      { do: 'recover' },
      { do: 'outage', hours: 0.5 },
      { do: 'accept', side: 'theirs', nth: 4 },
      { do: 'advance', hours: 30 },
      { do: 'capture' },
      { do: 'backfill', hoursAgo: 93, hours: 14 },
    ],
  },
];
