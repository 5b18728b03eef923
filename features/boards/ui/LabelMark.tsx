import type { Category } from './data';

/** Symbol before a label: a dot, a square if it means done, or a cross if it means canceled. */
export function LabelMark({
  color,
  category,
  className = 'label-dot',
}: {
  color: string | undefined;
  category: Category | undefined;
  className?: string;
}) {
  const fill = color ?? 'currentColor';
  return (
    <svg className={className} viewBox="0 0 8 8" aria-hidden="true" focusable="false">
      {category === 'done' && <rect width="8" height="8" rx="2" fill={fill} />}
      {category === 'canceled' && <path d="M1 1 7 7M7 1 1 7" stroke={fill} strokeWidth="2" strokeLinecap="round" />}
      {category !== 'done' && category !== 'canceled' && <circle cx="4" cy="4" r="4" fill={fill} />}
    </svg>
  );
}
