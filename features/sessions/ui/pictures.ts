/** Images of a message: pasted, or chosen as files. */
import { toast } from '@shell/components';
import { pictureAddress } from './shown/Picture';

/** An image as the API accepts it: its media type and base64 data. */
export interface PromptPicture {
  media: string;
  data: string;
}

/** Maximum number of images per message, and maximum bytes per image. */
export const PICTURES_MAX = 8;
export const PICTURE_BYTES_MAX = 5 * 1024 * 1024;

/** Types of images that are accepted. */
export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

/** Says that the engine accepts no images. */
export const reportNoPictures = () =>
  toast.problem(
    "Couldn't attach image",
    new Error("This engine doesn't accept images. Save it in the folder and name the file in your message."),
  );

/** The images among pasted or dropped files. */
export const picturesIn = (given: DataTransfer): File[] =>
  [...given.files].filter(({ type }) => type.startsWith('image/'));

/** Reads files as images. Shows why those that aren't accepted are left out. */
export async function readPictures(files: readonly File[]): Promise<PromptPicture[]> {
  const read = await Promise.all(files.map(readPicture));
  for (const one of read) if (typeof one === 'string') toast.problem("Couldn't attach image", new Error(one));
  return read.filter((one) => typeof one !== 'string');
}

/** The images of a message with more, up to the maximum. */
export const withPictures = (before: readonly PromptPicture[], more: readonly PromptPicture[]) =>
  [...before, ...more].slice(0, PICTURES_MAX);

/** Reads a file as an image. Returns the reason if it isn't accepted. */
export async function readPicture(file: File): Promise<PromptPicture | string> {
  if (file.size > PICTURE_BYTES_MAX)
    return `${file.name || 'The image'} is larger than ${PICTURE_BYTES_MAX / 1024 / 1024} MiB.`;
  const address = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("Couldn't read the image."));
    reader.readAsDataURL(file);
  });
  const data = address.slice(address.indexOf(',') + 1);
  return pictureAddress(file.type, data) === null
    ? `${file.name || 'The file'} isn't a PNG, JPEG, GIF, or WebP image.`
    : { media: file.type, data };
}
