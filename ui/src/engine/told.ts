/** What the engine tells whoever asks again and again, put together with what it has told before: `crates/widgets/src/told.rs` says what it leaves out. */
import type {
  Answer,
  BatteryResult,
  BurndownResult,
  ChartCategory,
  ChartResult,
  ChartSeries,
  Coverage,
  FixedAnswer,
  PlannedClass,
  PlannedResult,
  Sprint,
  ToldAnswer,
  VelocityResult,
  WidgetAnswer,
  WidgetState,
  Written,
} from './types';

/** A number with its short and its full form; those that are left out are its digits. */
type Figure = number | null | [value: number, both: string] | [value: number, text: string, full: string];

/** A piece among other members. */
type With<Own> = Own & { of: number };

interface Results {
  chart: Omit<ChartResult, 'categories' | 'series' | 'total'> & {
    total?: Figure;
    categories: (number | ChartCategory)[];
    series: (Pick<ChartSeries, 'values'> & Partial<ChartSeries> & { of?: number })[];
  };
  velocity: Omit<VelocityResult, 'sprints' | 'boards' | 'average'> & {
    sprints: With<{ completed: Figure; scope: Figure; items: number }>[];
    boards?: { id: string; name: string; completed: Figure[] }[];
    average: Figure;
  };
  planned: Omit<PlannedResult, 'sprints'> & {
    sprints: With<{ seen?: true } & Record<PlannedClass | 'unplannedPercent', Figure>>[];
  };
  burndown: Omit<BurndownResult, 'sprint' | 'days' | 'remaining'> & {
    sprint?: number;
    days?: { day: string | null; scope: Figure; remaining: Figure }[];
    remaining?: Figure;
  };
  battery: Omit<BatteryResult, 'segments'> & {
    segments: With<{ value: number | null; items: number; percent: number }>[];
  };
}

/** What is told of a widget; nothing that is as it mostly is. */
export interface ToldRest extends Partial<Pick<Coverage, 'skippedWhy' | 'inertRules' | 'labels'>> {
  state?: WidgetState;
  result?: object;
  boards: [used: number, all: number];
  items: [used: number, skipped: number, all: number];
  reach: number;
  approximate?: true;
  reasons?: string[];
}

const NONE = '—';

function written(figure: Figure): Written {
  if (Array.isArray(figure)) return { value: figure[0], text: figure[1], full: figure[2] ?? figure[1] };
  const text = figure === null ? NONE : String(figure);
  return { value: figure, text, full: text };
}

function fixedOf(answer: WidgetAnswer): FixedAnswer {
  const { id, kind, settings, roles, cols } = answer;
  const sprints = answer.kind === 'burndown' ? answer.result?.sprints : undefined;
  return { id, kind, ...(settings && { settings }), roles, cols, ...(sprints && { sprints }) };
}

/** What one asker has been told. */
export class Told {
  /** By which the engine knows what that is. */
  number = 0;
  private fixed: FixedAnswer[] = [];
  private pieces: object[] = [];

  /** A whole answer of one that is told. */
  whole({ told, pieces, widgets, inertRules }: ToldAnswer): Answer {
    this.number = told;
    if (!pieces) {
      this.pieces = [];
      this.fixed = (widgets as WidgetAnswer[]).map(fixedOf);
      return { inertRules, widgets: widgets as WidgetAnswer[] };
    }
    // Not spread into the call: of many pieces there are more than it takes.
    for (const piece of pieces) this.pieces.push(piece);
    return { inertRules, widgets: (widgets as ToldRest[]).map((rest, at) => this.widget(this.fixed[at]!, rest)) };
  }

  // Members are named one by one where it is done for each widget: to take some out of an object takes ten times as long.

  private widget(fixed: FixedAnswer, rest: ToldRest): WidgetAnswer {
    const { boards, items, labels, result } = rest;
    const coverage: Coverage = {
      boardsUsed: boards[0],
      boardsTotal: boards[1],
      itemsUsed: items[0],
      itemsSkipped: items[1],
      itemsTotal: items[2],
      skippedWhy: rest.skippedWhy ?? [],
      inertRules: rest.inertRules ?? [],
      reach: this.pieces[rest.reach] as Coverage['reach'],
    };
    if (labels) coverage.labels = labels;
    const answer = {
      id: fixed.id,
      kind: fixed.kind,
      roles: fixed.roles,
      cols: fixed.cols,
      state: rest.state ?? { name: 'ok' },
      coverage,
      approximate: rest.approximate ?? false,
      reasons: rest.reasons ?? [],
    } as WidgetAnswer;
    if (fixed.settings) answer.settings = fixed.settings;
    if (result) answer.result = this.result(fixed, result) as NonNullable<typeof answer.result>;
    return answer;
  }

  private result({ kind, sprints }: FixedAnswer, result: object): object {
    switch (kind) {
      case 'chart':
        return this.chart(result as Results['chart']);
      case 'velocity':
        return this.velocity(result as Results['velocity']);
      case 'planned':
        return this.planned(result as Results['planned']);
      case 'burndown':
        return this.burndown(result as Results['burndown'], sprints);
      case 'battery':
        return this.battery(result as Results['battery']);
      default:
        return result;
    }
  }

  private chart(result: Results['chart']): ChartResult {
    const category = (told: number | ChartCategory) =>
      typeof told === 'number' ? (this.pieces[told] as ChartCategory) : told;
    const line = (told: (typeof result.series)[number]): ChartSeries => {
      const { of, values } = told;
      const { key = '', label = '', kind, color } = of === undefined ? told : (this.pieces[of] as ChartCategory);
      const texts = told.texts ?? values.map((value) => (value === null ? NONE : String(value)));
      const line: ChartSeries = {
        key,
        label,
        values,
        items: told.items ?? (values as number[]),
        texts,
        fulls: told.fulls ?? texts,
      };
      if (kind) line.kind = kind;
      if (color) line.color = color;
      return line;
    };
    const { total, ...rest } = result;
    return {
      ...rest,
      categories: result.categories.map(category),
      series: result.series.map(line),
      ...(total !== undefined && { total: written(total) }),
    };
  }

  private sprint(of: number): Sprint {
    return this.pieces[of] as Sprint;
  }

  private velocity(result: Results['velocity']): VelocityResult {
    const sprints = result.sprints.map(({ of, completed, scope, items }) => ({
      ...this.sprint(of),
      completed: written(completed),
      scope: written(scope),
      items,
    }));
    const boards = result.boards?.map(({ id, name, completed }) => ({ id, name, completed: completed.map(written) }));
    return { ...result, sprints, ...(boards && { boards }), average: written(result.average) } as VelocityResult;
  }

  private planned(result: Results['planned']): PlannedResult {
    const sprints = result.sprints.map((told) => {
      const sprint = {
        ...this.sprint(told.of),
        plannedOpen: written(told.plannedOpen),
        unplannedOpen: written(told.unplannedOpen),
        unknownOpen: written(told.unknownOpen),
        plannedDone: written(told.plannedDone),
        unplannedDone: written(told.unplannedDone),
        unknownDone: written(told.unknownDone),
        unplannedPercent: written(told.unplannedPercent),
      };
      return told.seen ? { ...sprint, seen: told.seen } : sprint;
    });
    return { ...result, sprints };
  }

  private burndown(result: Results['burndown'], sprints: Sprint[] = []): BurndownResult {
    const { sprint, days, remaining } = result;
    const whole = { ...result, sprints } as unknown as BurndownResult;
    if (sprint !== undefined) whole.sprint = this.sprint(sprint);
    if (days)
      whole.days = days.map(({ day, scope, remaining }) => ({
        day,
        scope: written(scope),
        remaining: written(remaining),
      }));
    if (remaining !== undefined) whole.remaining = written(remaining);
    return whole;
  }

  private battery(result: Results['battery']): BatteryResult {
    const segment = ({ of, value, items, percent }: (typeof result.segments)[number]) => ({
      ...(this.pieces[of] as ChartCategory),
      value,
      items,
      percent,
    });
    return { ...result, segments: result.segments.map(segment) };
  }
}
