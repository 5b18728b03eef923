/** Images pasted into a message. */
import { pictureAddress } from './shown/Picture';

/** An image as the API accepts it: its media type and base64 data. */
export interface PromptPicture {
  media: string;
  data: string;
}

/** Maximum number of images per message, and maximum bytes per image. */
export const PICTURES_MAX = 8;
export const PICTURE_BYTES_MAX = 5 * 1024 * 1024;

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
